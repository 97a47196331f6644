import type { ResultOf, VariablesOf } from "@graphql-typed-document-node/core";
import type { OrdersByStatusDocument } from "./generated/graphql";

type Answer = ResultOf<typeof OrdersByStatusDocument>;
type Variables = VariablesOf<typeof OrdersByStatusDocument>;

export const paid: Variables = { status: "PAID", first: 10 };

// @ts-expect-error: a status is required
export const any: Variables = { first: 10 };

export function totals(answer: Answer): string[] {
  return (answer.ordersByStatus?.nodes ?? []).flatMap((order) => order?.total ?? []);
}

// @ts-expect-error: a page may be missing
export const more = (answer: Answer): boolean => answer.ordersByStatus.pageInfo.hasNextPage;
