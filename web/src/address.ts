/**
 * An operation in the address, after the `#`: it can be shared, and browsers keep that part to
 * themselves, so no variables end up in anybody's access log.
 */
export interface Shared {
  query: string;
  variables: string | null;
}

const PATIENCE_MS = 300; // Browsers refuse an address that changes with every key.

export function shared(): Shared | null {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const query = parameters.get("query");
  return query ? { query, variables: parameters.get("variables") } : null;
}

let waiting: ReturnType<typeof setTimeout> | undefined;

export function keepInStep(query: string | null, variables: string | null): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => history.replaceState(null, "", addressOf(query, variables)), PATIENCE_MS);
}

export function addressOf(query: string | null, variables: string | null): string {
  const parameters = new URLSearchParams();
  if (query?.trim()) parameters.set("query", query);
  if (variables?.trim()) parameters.set("variables", variables);
  const hash = parameters.toString();
  return location.pathname + location.search + (hash && `#${hash}`);
}
