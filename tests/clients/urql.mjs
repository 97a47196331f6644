// Uses urql with its normalized cache against a running shop, and prints as JSON what it saw.
// Usage: node urql.mjs '{"address": ADDRESS}'
import { Client, fetchExchange, gql } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { persistedExchange } from "@urql/exchange-persisted";
import { complaints, recording } from "./recording.mjs";

const MOST_PAGES = 20;
const { address } = JSON.parse(process.argv[2]);
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
  query Orders($id: ID!, $first: Int!, $after: String) {
    user(id: $id) {
      nodeId
      orders(first: $first, after: $after) {
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
    resolvers: { User: { orders: relayPagination() } },
  });

function opened(...exchanges) {
  const { asked, fetch } = recording();
  const client = new Client({
    url: address,
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

async function walked() {
  const { asked, client } = opened();
  const lengths = [];
  let after = null;
  let orders;
  do {
    const { data, error } = await client.query(ORDERS, { id: "u_001", first: 4, after }).toPromise();
    if (error) throw error;
    orders = data.user.orders;
    lengths.push(orders.edges.length);
    after = orders.pageInfo.endCursor;
  } while (orders.pageInfo.hasNextPage && lengths.length < MOST_PAGES);
  return { asked, lengths, ids: orders.edges.map(({ node }) => node.id) };
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
  const { asked, client } = opened(persistedExchange({ preferGetForPersistedQueries: true }));
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
  failed: await failed(),
  persisted: await persisted(),
};
console.log(JSON.stringify({ ...saw, complained }));
