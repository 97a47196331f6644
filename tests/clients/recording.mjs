/** A fetch that keeps what was asked through it, and how it was answered. */
export function recording() {
  const asked = [];
  return {
    asked,
    fetch: async (address, options = {}) => {
      const url = new URL(address);
      const method = options.method ?? "GET";
      const sent = method === "GET" ? url.searchParams : new Map(Object.entries(JSON.parse(options.body)));
      const answer = await fetch(address, options);
      const extensions = sent.get("extensions");
      asked.push({
        method,
        query: Boolean(sent.get("query")),
        hash: JSON.stringify(extensions ?? "").includes("sha256Hash"),
        status: answer.status,
        type: answer.headers.get("content-type"),
      });
      return answer;
    },
  };
}

/** What a client says on the console, from here on. */
export function complaints() {
  const heard = [];
  for (const level of ["warn", "error"]) {
    console[level] = (...words) => heard.push(words.map(String).join(" "));
  }
  return heard;
}
