/** What the gateway puts into `extensions.explain`: see resolvers/explaining.py. */
export interface Asked {
  operation: string;
  summary: string;
  serves: string[];
  index?: string | null;
  keyCondition?: string;
  key?: [string, string];
  keys?: [string, string][];
  descending?: boolean;
  limit?: number | null;
  filter?: string | null;
  projection?: string[] | null;
  actions?: Action[];
}

/** What a write does to one item, and on which condition. */
export interface Action {
  action: string;
  key: string[];
  update: string | null;
  condition: string | null;
}

export interface Sent extends Asked {
  itemsRead: number;
  itemsReturned: number;
  capacity: number;
  startedAfter: number;
  milliseconds: number;
  retries: number;
  error?: string;
}

export interface Planned extends Asked {
  times: number;
  itemsExpected: number;
  capacityExpected: number;
}

export interface Explained<Request extends Asked> {
  requests: number;
  capacity: number;
  waves: { requests: Request[] }[];
  errors?: string[];
}

/** Requests of one wave that differ in their keys alone: one per shard, or one per parent. */
export interface Band<Request extends Asked> {
  first: Request;
  requests: Request[];
}

export function bands<Request extends Asked>(requests: Request[]): Band<Request>[] {
  const found = new Map<string, Band<Request>>();
  for (const request of requests) {
    const alike = [request.operation, request.index, request.limit, ...request.serves].join("\n");
    const band = found.get(alike);
    if (band) band.requests.push(request);
    else found.set(alike, { first: request, requests: [request] });
  }
  return [...found.values()];
}

/** Writes and reads are paid for in units of their own. */
export function unit(requests: Asked[]): string {
  const writes = requests.filter((request) => request.actions).length;
  if (!writes) return "RCU";
  return writes === requests.length ? "WCU" : "units";
}

export function every<Request extends Asked>(explained: Explained<Request>): Request[] {
  return explained.waves.flatMap((wave) => wave.requests);
}

export function fieldsServed(requests: Asked[]): string[] {
  return [...new Set(requests.flatMap((request) => request.serves))];
}

/** From the first request's start to the last one's end; waves before it are not its time. */
export function span(requests: Sent[]): { start: number; end: number } {
  return {
    start: Math.min(...requests.map((request) => request.startedAfter)),
    end: Math.max(...requests.map((request) => request.startedAfter + request.milliseconds)),
  };
}

export function sum<Thing>(things: Thing[], amount: (thing: Thing) => number): number {
  return things.reduce((total, thing) => total + amount(thing), 0);
}
