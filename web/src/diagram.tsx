import { hue } from "./picture";
import type { Collection, Index, Picture, Place } from "./picture";
import { Template, TypeName } from "./template";
import { counted } from "./words";

interface Drawing {
  picture: Picture;
  lit: ReadonlySet<string> | null;
  selected: string | null;
  select: (entity: string) => void;
}

/** The table and its indexes, each as item collections in the order of their sort keys. */
export function Diagram(drawing: Drawing) {
  return (
    <div className="diagram" data-dimmed={drawing.lit ? true : undefined}>
      {drawing.picture.indexes.map((index) => (
        <IndexTable key={index.name ?? ""} index={index} {...drawing} />
      ))}
    </div>
  );
}

function IndexTable({ index, ...drawing }: Drawing & { index: Index }) {
  const title = index.name ?? "Table";
  return (
    <section className="index" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p>
          {counted(index.collections.length, "item collection")}
          {index.projected && `, projects ${index.projected.join(", ")}`}
        </p>
      </header>
      <table>
        <thead>
          <tr>
            <th scope="col">
              Partition key <code>{index.partition}</code>
            </th>
            <th scope="col">
              Sort key <code>{index.sort}</code> <span aria-label="in ascending order">↓</span>
            </th>
            <th scope="col">Entity</th>
            <th scope="col" className="number">
              Items
            </th>
            <th scope="col">Attributes</th>
          </tr>
        </thead>
        {index.collections.map((collection) => (
          <Rows key={collection.partition} {...drawing} index={index} collection={collection} />
        ))}
      </table>
    </section>
  );
}

function Rows({ index, collection, ...drawing }: Drawing & { index: Index; collection: Collection }) {
  return (
    <tbody>
      {collection.places.map((place, at) => (
        <Row key={place.id} {...drawing} index={index} place={place}>
          {at === 0 && (
            <th scope="rowgroup" rowSpan={collection.places.length} className="partition">
              <Template text={collection.partition} />
              {collection.shards > 0 && <small>{counted(collection.shards, "shard")}</small>}
              {collection.groups.map((group) => (
                <small key={group.name}>
                  grouped by {group.by.join(", ")} as <b>{group.name}</b>
                </small>
              ))}
            </th>
          )}
        </Row>
      ))}
    </tbody>
  );
}

function Row(props: Drawing & { index: Index; place: Place; children: React.ReactNode }) {
  const { picture, index, place, lit, selected, select, children } = props;
  return (
    <tr
      style={{ "--hue": hue(picture, place.entity) } as React.CSSProperties}
      data-lit={lit?.has(place.id) || undefined}
      data-entity={place.entity}
    >
      {children}
      <td className="sort">
        <Template text={place.sort} />
      </td>
      <td className="entity">
        <button
          type="button"
          aria-pressed={selected === place.entity}
          onClick={() => select(place.entity)}
        >
          <TypeName name={place.entity} />
        </button>
        {place.role === "copy" && <small>copy</small>}
        {place.when && <small>when {place.when}</small>}
      </td>
      <td className="number">{items(place)}</td>
      <td className="attributes">{attributes(picture, index, place).join(", ")}</td>
    </tr>
  );
}

function items({ bound }: Place): string {
  if (bound === null) return "many";
  return bound === 1 ? "1" : `≤ ${bound.toLocaleString("en")}`;
}

/** Stored names of what an item there holds, beside its keys. */
function attributes(picture: Picture, index: Index, place: Place): string[] {
  const entity = picture.entities.find((one) => one.name === place.entity);
  return (entity?.attributes ?? [])
    .filter((one) => !place.carries || place.carries.includes(one.name))
    .map((one) => one.stored)
    .filter((stored) => !index.projected || index.projected.includes(stored));
}
