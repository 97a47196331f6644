import { useEffect, useState } from "react";
import { Details } from "./details";
import { Diagram } from "./diagram";
import { draw } from "./page";
import { Patterns } from "./patterns";
import { patternsOf } from "./picture";
import type { Pattern, Picture } from "./picture";
import "./table.css";
import { ThemeChoice, chosenTheme, showTheme } from "./theme";
import { counted } from "./words";

function TablePage({ picture }: { picture: Picture }) {
  const [selected, select] = useState(() => decodeURIComponent(location.hash.slice(1)) || null);
  const [held, hold] = useState<Pattern | null>(null);
  const [pointed, light] = useState<Pattern | null>(null);
  const entity = picture.entities.find((one) => one.name === selected);
  const shining = pointed?.request ? pointed : held;
  const listing = { light, held, hold };

  useEffect(() => {
    const here = location.pathname + location.search;
    history.replaceState(null, "", entity ? `#${encodeURIComponent(entity.name)}` : here);
  }, [entity]);
  useEffect(() => {
    const escape = (event: KeyboardEvent) => event.key === "Escape" && close();
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  });

  const close = () => {
    hold(null);
    select(null);
    if (entity) document.querySelector<HTMLElement>(`[data-entity="${entity.name}"] button`)?.focus();
  };

  return (
    <>
      <Head picture={picture} />
      <main>
        <Diagram
          picture={picture}
          lit={shining ? new Set(shining.places) : null}
          selected={selected}
          select={(name) => select(name === selected ? null : name)}
        />
        <aside>
          {entity ? (
            <Details picture={picture} entity={entity} close={close}>
              <Patterns patterns={patternsOf(picture, entity)} {...listing} />
            </Details>
          ) : (
            <section className="all-patterns" aria-label="Access patterns">
              <h2>Access patterns</h2>
              <p className="hint">Point at a field to see what it reads. Click an entity for more.</p>
              <Patterns patterns={picture.patterns} {...listing} />
            </section>
          )}
        </aside>
      </main>
    </>
  );
}

function Head({ picture }: { picture: Picture }) {
  const collections = picture.indexes.flatMap((index) => index.collections);
  return (
    <header className="head">
      <h1>{picture.table}</h1>
      <p>
        {counted(picture.entities.length, "entity", "entities")} in{" "}
        {counted(collections.length, "item collection")},{" "}
        {counted(picture.patterns.length, "access pattern")}
      </p>
      <nav aria-label="Pages">
        <a href={picture.graphiql}>GraphiQL</a>
        <a href="" aria-current="page">
          Table
        </a>
      </nav>
      <ThemeChoice />
    </header>
  );
}

showTheme(chosenTheme());
await draw<Picture>("table.json", (picture) => {
  document.title = `${picture.table} · Table`;
  return <TablePage picture={picture} />;
});
