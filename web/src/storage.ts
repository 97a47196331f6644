import type { Storage } from "@graphiql/toolkit";

/** GraphiQL's own keys. */
export const THEME = "graphiql:theme";
export const TABS = "graphiql:tabState";

/** Tabs and history of one table; another one at the same address has its own. */
export function storageOf(table: string): Storage {
  const named = (key: string) => (key === THEME ? key : `${table}:${key}`);
  const own = () => Object.keys(localStorage).filter((key) => key.startsWith(`${table}:`));
  return {
    getItem: (key) => localStorage.getItem(named(key)),
    setItem: (key, value) => localStorage.setItem(named(key), value),
    removeItem: (key) => localStorage.removeItem(named(key)),
    clear: () => own().forEach((key) => localStorage.removeItem(key)),
    get length() {
      return own().length;
    },
  };
}
