import { useSyncExternalStore } from "react";
import type { Explained, Planned, Sent } from "./explain";

/** The last thing that was run or planned, for the Plan panel. */
export type Run =
  | { state: "none" }
  | { state: "waiting" }
  | { state: "ran"; explained: Explained<Sent> }
  | { state: "planned"; explained: Explained<Planned> }
  | { state: "refused"; errors: string[] };

let last: Run = { state: "none" };
const listeners = new Set<() => void>();

export function remember(run: Run): void {
  last = run;
  listeners.forEach((listener) => listener());
}

export function useLastRun(): Run {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => last,
  );
}
