import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "schema.graphql",
  documents: "operations/*.graphql",
  generates: {
    "generated/": {
      preset: "client",
      presetConfig: { persistedDocuments: true },
      config: {
        strictScalars: true,
        scalars: { Date: "string", DateTime: "string", Decimal: "string" },
        useTypeImports: true,
      },
    },
  },
};

export default config;
