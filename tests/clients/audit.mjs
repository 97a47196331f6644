// Audits a running gateway for GraphQL over HTTP, and prints each audit with its verdict.
// Usage: node audit.mjs '{"address": ADDRESS}'
import { auditServer } from "graphql-http";

const { address } = JSON.parse(process.argv[2]);
const results = await auditServer({ url: address });

console.log(
  JSON.stringify({
    audits: results.map(({ id, name, status, reason }) => ({ id, name, status, reason })),
  }),
);
