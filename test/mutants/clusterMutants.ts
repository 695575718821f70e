import type { Mutant } from "./mutants.ts"

const connections = "src/platform/RunnerConnections.ts"
const cluster = "src/platform/Cluster.ts"
const tests = ["test/runnerConnections.pg.test.ts"]

/** Guards of what the processes say to each other. */
export const clusterMutants: ReadonlyArray<Mutant> = [
  {
    name: "cluster: the key of the connections does not come from the secret",
    file: connections,
    find: `hkdfSync("sha256", secret,`,
    replace: `hkdfSync("sha256", "",`,
    tests
  },
  {
    name: "cluster: connections need no proof",
    file: connections,
    find: "const socket = new Tls.TLSSocket(raw, options)",
    replace: `const socket: any = raw
    setImmediate(() => raw.emit("secure"))`,
    and: {
      file: connections,
      find: "  socket = Tls.connect({ ...tls, socket: raw, pskCallback: () => proof, checkServerIdentity: () => undefined })",
      replace: `  setImmediate(() => raw.emit("secureConnect"))`
    },
    tests
  },
  {
    name: "cluster: what the processes say can be read on the way",
    file: connections,
    find: `ciphers: "ECDHE-PSK-CHACHA20-POLY1305",`,
    replace: `ciphers: "ECDHE-PSK-NULL-SHA256:@SECLEVEL=0",`,
    tests
  },
  {
    name: "cluster: a silent connection may stay",
    file: connections,
    find: `setTimeout(() => refuse("too_slow"),`,
    replace: `setTimeout(() => 0 * Number(refuse),`,
    tests
  },
  {
    name: "cluster: any number of connections may be without proof",
    file: connections,
    find: "if (unproven.size > unprovenMax)",
    replace: "if (unproven.size > 1_000_000)",
    tests
  },
  {
    name: "cluster: the newest connection is cut when there are too many",
    file: connections,
    find: "const [oldest] = unproven.values()",
    replace: "const oldest = [...unproven.values()].at(-1)",
    tests
  },
  {
    name: "cluster: every refusal has its line in the log",
    file: connections,
    find: "now - known.at >= 60_000",
    replace: "now >= 0",
    tests
  },
  {
    name: "cluster: a frame may have any size",
    file: cluster,
    find: "maxFrameSize: messageBytesMax",
    replace: `maxFrameSize: "unbounded"`,
    tests
  }
]
