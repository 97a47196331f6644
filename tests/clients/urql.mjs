// Uses urql with its normalized cache against a running shop, and prints as JSON what it saw.
// Usage: node urql.mjs '{"address": ADDRESS, "sparse": ADDRESS}'
import { Client, fetchExchange, gql } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { persistedExchange } from "@urql/exchange-persisted";
import { complaints, recording } from "./recording.mjs";

const MOST_PAGES = 20;
const { address, sparse } = JSON.parse(process.argv[2]);
const complained = complaints();

const PROFILE = gql`
  query Profile($id: ID!) {
    user(id: $id) {
      nodeId
      name
      addresses {
        nodeId
        city
      }
    }
  }
`;

const ORDERS = gql`
  query Orders($id: ID!, $first: Int!, $after: String, $where: UserOrdersFilter) {
    user(id: $id) {
      nodeId
      orders(first: $first, after: $after, where: $where) {
        edges {
          cursor
          node {
            nodeId
            id
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`;

const nodeId = (object) => object.nodeId ?? null;

const merged = relayPagination();

const newCache = () =>
  cacheExchange({
    keys: {
      Address: nodeId,
      Order: nodeId,
      OrderItem: nodeId,
      Product: nodeId,
      Shipment: nodeId,
      User: nodeId,
    },
    resolvers: {
      User: {
        // A filter can leave a page empty, and `relayPagination` does not get past an empty page.
        orders: (user, args, cache, info) =>
          args.where
            ? cache.resolve(info.parentKey, info.fieldName, args)
            : merged(user, args, cache, info),
      },
    },
  });

function opened({ at = address, exchanges = [] } = {}) {
  const { asked, fetch } = recording();
  const client = new Client({
    url: at,
    fetch,
    exchanges: [newCache(), ...exchanges, fetchExchange],
  });
  return { asked, client };
}

async function cached() {
  const { asked, client } = opened();
  const first = await client.query(PROFILE, { id: "u_001" }).toPromise();
  const second = await client.query(PROFILE, { id: "u_001" }, { requestPolicy: "cache-only" }).toPromise();
  return { asked, first: first.data, second: second.data };
}

async function walked({ at = address, where } = {}) {
  const { asked, client } = opened({ at });
  const pages = [];
  let after = null;
  let more = true;
  while (more && pages.length < MOST_PAGES) {
    const variables = { id: "u_001", first: 4, after, where };
    const { data, error } = await client.query(ORDERS, variables).toPromise();
    if (error) throw error;
    const { edges, pageInfo } = data.user.orders;
    pages.push(edges.map(({ node }) => node.id));
    more = pageInfo.hasNextPage;
    after = pageInfo.endCursor;
  }
  return { asked, pages };
}

async function failed() {
  const { client } = opened();
  const { data, error } = await client
    .query(ORDERS, { id: "u_001", first: 4, after: "altered" })
    .toPromise();
  return {
    user: Boolean(data.user.nodeId),
    errors: error.graphQLErrors.map(({ path, extensions }) => ({ path, code: extensions.code })),
  };
}

async function persisted() {
  const { asked, client } = opened({
    exchanges: [persistedExchange({ preferGetForPersistedQueries: true })],
  });
  const names = [];
  for (const id of ["u_001", "u_002"]) {
    const query = gql`query NameByUrql($id: ID!) { user(id: $id) { nodeId name } }`;
    names.push((await client.query(query, { id }).toPromise()).data?.user.name);
  }
  return { asked, names };
}

const saw = {
  cached: await cached(),
  walked: await walked(),
  // Pages there end before they are full, and some are empty.
  filtered: await walked({ at: sparse, where: { status: { eq: "CANCELLED" } } }),
  failed: await failed(),
  persisted: await persisted(),
};
console.log(JSON.stringify({ ...saw, complained }));
