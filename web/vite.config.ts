import { defineConfig } from "vite";

// Addresses are relative, so the pages work under any prefix. The build lies where the gateway
// looks for it, and where the wheel takes it from.
export default defineConfig({
  base: "./",
  logLevel: "warn",
  build: {
    outDir: "../gql/web",
    assetsDir: "_tablefold",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox128", "safari17.5"],
    chunkSizeWarningLimit: 4_000,
    rolldownOptions: {
      input: ["graphiql.html", "table.html"],
      onwarn: (warning, warn) => {
        // "use client" speaks to servers that render; there is none.
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
      },
    },
  },
  worker: { format: "es" },
});
