/** The model as the gateway tells it: see gql/picture.py. */
export interface Picture {
  graphiql: string;
  table: string;
  typeAttribute: string | null;
  indexes: Index[];
  entities: Entity[];
  patterns: Pattern[];
}

export interface Index {
  name: string | null;
  partition: string;
  sort: string;
  projected: string[] | null;
  collections: Collection[];
}

export interface Collection {
  partition: string;
  shards: number;
  groups: { name: string; by: string[] }[];
  places: Place[];
}

export type Role = "home" | "copy" | "index";

/** An entity in a collection, in the order of its sort keys. */
export interface Place {
  id: string;
  entity: string;
  partition: string;
  sort: string;
  role: Role;
  bound: number | null;
  when: string | null;
  carries: string[] | null;
}

export interface Attribute {
  name: string;
  stored: string;
  kind: string;
  type: string | null;
}

export interface Key {
  id: string;
  index: string | null;
  partition: string;
  sort: string;
  role: Role;
  shards: number;
  names: string[];
}

export interface Entity {
  name: string;
  description: string | null;
  typeValue: string;
  attributes: Attribute[];
  keys: Key[];
}

/** A field that reaches items; `request` is null where its own children do the asking. */
export interface Pattern {
  owner: string;
  name: string;
  arguments: string[];
  type: string;
  description: string | null;
  places: string[];
  bounded: number | null;
  number: boolean;
  request: Request | null;
}

export interface Request {
  operation: string;
  index: string | null;
  condition: string;
  descending: boolean;
  limit: number | null;
  paged: boolean;
  narrowing: string[];
  filters: string[];
  shards: number;
}

export function patternsOf(picture: Picture, entity: Entity): Pattern[] {
  const places = new Set(entity.keys.map((key) => key.id));
  return picture.patterns.filter((pattern) => pattern.places.some((place) => places.has(place)));
}

/** Hues far apart for neighbours, by the golden angle. */
export function hue(picture: Picture, entity: string): number {
  const at = picture.entities.findIndex((one) => one.name === entity);
  return Math.round((255 + at * 137.508) % 360);
}
