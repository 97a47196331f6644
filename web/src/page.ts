/** Loads what the gateway says of itself; the addresses are relative to the page's. */
export async function load<Value>(name: string): Promise<Value> {
  const response = await fetch(`./_tablefold/${name}`);
  if (!response.ok) throw new Error(`${name}: the gateway answered ${response.status}`);
  return response.json();
}

export function element(): HTMLElement {
  const found = document.getElementById("page");
  if (!found) throw new Error("The page has no element to draw in.");
  return found;
}
