import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";

/** What the gateway says of itself; the addresses are relative to the page's. */
async function load<Value>(name: string): Promise<Value> {
  const response = await fetch(`./_tablefold/${name}`);
  if (response.ok) return response.json();
  throw new Error(`The gateway answered ${response.status} ${response.statusText}`.trim());
}

/** Draws the page once it knows what to draw, or says why it cannot. */
export async function draw<Value>(name: string, drawing: (value: Value) => ReactNode): Promise<void> {
  const page = document.getElementById("page");
  if (!page) throw new Error("The page has no element to draw in.");
  try {
    createRoot(page).render(drawing(await load<Value>(name)));
  } catch (error) {
    page.setAttribute("role", "alert");
    page.textContent = String(error);
  }
}
