import { useState } from "react";
import { THEME } from "./storage";

/** The same choice as GraphiQL's, kept in the same place, shown by the same class. */
const CHOICES = ["system", "light", "dark"] as const;
type Theme = (typeof CHOICES)[number];

export function chosenTheme(): Theme {
  const stored = localStorage.getItem(THEME);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function showTheme(theme: Theme): void {
  document.body.classList.remove("graphiql-light", "graphiql-dark");
  if (theme !== "system") document.body.classList.add(`graphiql-${theme}`);
}

export function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <label className="theme">
      <span>Theme</span>
      <select
        value={theme}
        onChange={(event) => {
          const chosen = event.target.value as Theme;
          localStorage.setItem(THEME, chosen === "system" ? "" : chosen);
          showTheme(chosen);
          setTheme(chosen);
        }}
      >
        {CHOICES.map((choice) => (
          <option key={choice} value={choice}>
            {choice[0]?.toUpperCase() + choice.slice(1)}
          </option>
        ))}
      </select>
    </label>
  );
}
