import type { Fetcher, FetcherParams } from "@graphiql/toolkit";
import { Kind, parse } from "graphql";
import type { Explained, Planned, Sent } from "./explain";
import { remember } from "./runs";

type Headers = Record<string, string>;

interface Answer {
  data?: unknown;
  errors?: { message: string }[];
  extensions?: Record<string, unknown> & { explain?: unknown };
}

const INTROSPECTION = "IntrospectionQuery";

/** Runs an operation and hands what it asked of the table to the Plan panel. */
export const fetcher: Fetcher = async (params, options) => {
  if (params.operationName === INTROSPECTION) return (await send(params, options?.headers)) as never;
  remember({ state: "waiting" });
  try {
    const answer = await send({ ...named(params), extensions: { explain: true } }, options?.headers);
    const { explain, ...others } = answer.extensions ?? {};
    const errors = (answer.errors ?? []).map((error) => error.message);
    const explained = explain as Explained<Sent> | undefined;
    const asked = explained && (explained.requests > 0 || !errors.length);
    remember(asked ? { state: "ran", explained } : { state: "refused", errors });
    const { extensions: _, ...shown } = answer;
    return (Object.keys(others).length ? { ...shown, extensions: others } : shown) as never;
  } catch (error) {
    remember({ state: "refused", errors: [String(error)] });
    throw error;
  }
};

/** Plans and prices an operation without touching the table. */
export async function plan(params: FetcherParams, headers?: Headers): Promise<void> {
  remember({ state: "waiting" });
  try {
    const answer = await send({ ...named(params), extensions: { explain: "plan" } }, headers);
    const explained = answer.extensions?.explain as Explained<Planned> | undefined;
    const errors = answer.errors?.map((error) => error.message) ?? [];
    remember(explained ? { state: "planned", explained } : { state: "refused", errors });
  } catch (error) {
    remember({ state: "refused", errors: [String(error)] });
  }
}

/** Just after another tab was opened, GraphiQL still has the operation of the one before. */
function named(params: FetcherParams): FetcherParams {
  const known = operationNames(params.query);
  const { operationName, ...others } = params;
  return operationName && known.includes(operationName) ? params : others;
}

function operationNames(query: string): string[] {
  try {
    return parse(query).definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION && one.name ? [one.name.value] : [],
    );
  } catch {
    return []; // The gateway says what is wrong with it.
  }
}

async function send(body: object, headers: Headers = {}): Promise<Answer> {
  const response = await fetch(location.pathname, {
    method: "POST",
    headers: {
      accept: "application/graphql-response+json, application/json",
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  if (response.headers.get("content-type")?.includes("json")) return response.json();
  throw new Error(`The gateway answered ${response.status} ${response.statusText}`.trim());
}
