import type { Pattern, Request } from "./picture";
import { TypeName } from "./template";
import { counted } from "./words";

const PAGED = ["first", "after", "last", "before", "direction", "where"];

interface Listing {
  patterns: Pattern[];
  light: (pattern: Pattern | null) => void;
  held: Pattern | null;
  hold: (pattern: Pattern | null) => void;
}

/** Fields by their type. Pointing at one lights up what it reads; a click keeps it lit. */
export function Patterns({ patterns, ...listing }: Listing) {
  const owners = [...new Set(patterns.map((pattern) => pattern.owner))];
  return (
    <>
      {owners.map((owner) => (
        <section key={owner} className="owner" aria-label={owner}>
          <h3>{owner}</h3>
          <ul>
            {patterns
              .filter((pattern) => pattern.owner === owner)
              .map((pattern) => (
                <Entry key={pattern.name} pattern={pattern} {...listing} />
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Entry({ pattern, light, held, hold }: Omit<Listing, "patterns"> & { pattern: Pattern }) {
  const isHeld = held === pattern;
  const keys = pattern.arguments.filter((name) => !PAGED.includes(name));
  return (
    <li>
      <button
        type="button"
        className="pattern"
        aria-pressed={isHeld}
        disabled={!pattern.request}
        onPointerEnter={() => light(pattern)}
        onPointerLeave={() => light(null)}
        onFocus={() => light(pattern)}
        onBlur={() => light(null)}
        onClick={() => hold(isHeld ? null : pattern)}
      >
        <span className="field">
          <b>{pattern.name}</b>
          {keys.length > 0 && <i>({keys.join(", ")})</i>}
        </span>
        <span className="type">
          <TypeName name={pattern.type} />
        </span>
        {pattern.request ? <Asking request={pattern.request} pattern={pattern} /> : <Nothing />}
      </button>
    </li>
  );
}

function Asking({ request, pattern }: { request: Request; pattern: Pattern }) {
  return (
    <span className="asking">
      <span className="operation" data-operation={request.operation}>
        {request.operation}
      </span>
      {request.index && <span className="index-name">{request.index}</span>}
      <code>{request.condition}</code>
      <small>{notes(request, pattern).join(" · ")}</small>
    </span>
  );
}

function Nothing() {
  return (
    <span className="asking">
      <small>no request of its own</small>
    </span>
  );
}

function notes(request: Request, pattern: Pattern): string[] {
  const notes = [];
  if (pattern.number) notes.push("a number over the list");
  if (request.shards) notes.push(counted(request.shards, "shard"));
  if (request.descending) notes.push("descending");
  if (request.limit) notes.push(`limit ${request.limit}`);
  if (request.paged) notes.push("paged");
  if (pattern.bounded) notes.push(`at most ${pattern.bounded.toLocaleString("en")}`);
  if (request.narrowing.length) notes.push(`narrowed by ${request.narrowing.join(", ")}`);
  if (request.filters.length) notes.push(`filtered by ${request.filters.join(", ")}`);
  return notes;
}
