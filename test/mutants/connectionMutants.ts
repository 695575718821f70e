import type { Mutant } from "./mutants.ts"

const connections = "src/platform/Connections.ts"
const server = "src/platform/Server.ts"
const tests = ["test/http/Connections.test.ts"]

/** Guards of who may ask, and for how long: connections, keys, links, and whether there is room to write. */
export const connectionMutants: ReadonlyArray<Mutant> = [
  {
    name: "connections: those that idle keep others out",
    file: connections,
    find: "for (const connection of idle) {",
    replace: "for (const connection of [] as Array<Connection>) {",
    tests
  },
  {
    name: "connections: those that keep the service waiting keep others out",
    file: connections,
    find: "if (waitsForClient(connection)) slowest = connection",
    replace: "",
    tests
  },
  {
    name: "connections: who has just asked makes room as if he had idled",
    file: connections,
    find: "if (connection.exchanges.size > 0 || !busy.delete(connection)) return",
    replace: "return",
    tests
  },
  {
    name: "connections: one address may have all",
    file: connections,
    find: ">= perAddress && ",
    replace: ">= max && ",
    tests
  },
  {
    name: "connections: any number is kept",
    file: connections,
    find: "idle.size + busy.size >= max && ",
    replace: "idle.size < 0 && ",
    tests
  },
  {
    name: "connections: the full house has no ear for its health",
    file: server,
    find: 'request.url?.startsWith("/health/") === true',
    replace: "request.url === undefined",
    tests
  },
  {
    name: "connections: the reserve serves everything",
    file: server,
    find: 'request.url?.startsWith("/health/") === true',
    replace: "request.url !== undefined",
    tests
  },
  {
    name: "connections: any number that say nothing are kept in the reserve",
    file: connections,
    find: "oldest !== undefined && reserve.size >= patience.reserveMax",
    replace: "oldest !== undefined && reserve.size < 0",
    tests
  },
  {
    name: "connections: an answer may be read for ever",
    file: connections,
    find: "isUnread(first) && now - connection.since >= patience.answerMs",
    replace: "isUnread(first) && now < 0",
    tests
  },
  {
    name: "connections: any amount is held for those who do not read",
    file: connections,
    find: "while (unread > patience.unreadMax) {",
    replace: "while (unread < 0) {",
    tests
  },
  {
    name: "connections: any number of requests is taken at once",
    file: connections,
    find: "connection.exchanges.size >= patience.pipelinedMax",
    replace: "connection.exchanges.size < 0",
    tests
  },
  {
    name: "connections: one that never ends its request holds up the end of the service",
    file: connections,
    find: "if (isStopping) while (makeRoom());",
    replace: "",
    tests
  },
  {
    name: "connections: who is refused is not counted",
    file: server,
    find: "self.noteRefusal(why)",
    replace: "",
    tests
  }
]
