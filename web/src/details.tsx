import { useEffect, useRef } from "react";
import { hue } from "./picture";
import type { Entity, Key, Picture } from "./picture";
import { Template } from "./template";

/** One entity: its templates, its attributes, and (as children) the fields that read it. */
export function Details(props: {
  picture: Picture;
  entity: Entity;
  close: () => void;
  children: React.ReactNode;
}) {
  const { picture, entity, close, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [entity]);
  return (
    <section
      className="details"
      aria-labelledby="details-name"
      style={{ "--hue": hue(picture, entity.name) } as React.CSSProperties}
    >
      <header>
        <h2 id="details-name" ref={heading} tabIndex={-1}>
          {entity.name}
        </h2>
        <button type="button" className="close" aria-label="Close" onClick={close}>
          ✕
        </button>
      </header>
      {entity.description && <p>{entity.description}</p>}
      <h3>Keys</h3>
      <ul className="keys">
        {entity.keys.map((key) => (
          <KeyEntry key={key.id} entry={key} picture={picture} />
        ))}
      </ul>
      <h3>Attributes</h3>
      <Attributes picture={picture} entity={entity} />
      <h3>Read by</h3>
      {children}
    </section>
  );
}

function KeyEntry({ entry, picture }: { entry: Key; picture: Picture }) {
  const index = picture.indexes.find((one) => one.name === entry.index);
  return (
    <li>
      <h4>
        {entry.index ?? "Table"} <small>{entry.role === "index" ? "" : entry.role}</small>
      </h4>
      <dl>
        <dt>{index?.partition}</dt>
        <dd>
          <Template text={entry.partition} />
          {entry.shards > 0 && <small> × {entry.shards} shards</small>}
        </dd>
        <dt>{index?.sort}</dt>
        <dd>
          <Template text={entry.sort} />
        </dd>
      </dl>
    </li>
  );
}

function Attributes({ picture, entity }: { picture: Picture; entity: Entity }) {
  const inKeys = new Set(entity.keys.flatMap((key) => key.names));
  return (
    <table className="fields">
      <thead>
        <tr>
          <th scope="col">stored as</th>
          <th scope="col">GraphQL</th>
        </tr>
      </thead>
      <tbody>
        {entity.attributes.map((one) => (
          <tr key={one.name}>
            <td>
              <code>{one.stored}</code>
              {inKeys.has(one.name) && <small>in a key</small>}
            </td>
            <td>{one.type ?? <em>not shown ({one.kind})</em>}</td>
          </tr>
        ))}
        {picture.typeAttribute && (
          <tr>
            <td>
              <code>{picture.typeAttribute}</code>
            </td>
            <td>
              always <code>{entity.typeValue}</code>
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
