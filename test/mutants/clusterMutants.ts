import { guards, type Mutant } from "./Mutant.ts"

/** Guards of the connections between processes. */
export const clusterMutants: ReadonlyArray<Mutant> = [
  ...guards("src/runtime/cluster/RunnerConnections.ts", "test/postgres/process/RunnerConnections.full.test.ts", {
    "cluster: the key of the connections does not come from the secret": {
      'hkdfSync("sha256", secret,': 'hkdfSync("sha256", "",'
    },
    "cluster: connections need no proof": {
      "const socket = new Tls.TLSSocket(raw, options)":
        'const socket: any = raw\n    setImmediate(() => raw.emit("secure"))',
      "  socket = Tls.connect({ ...tls, socket: raw, pskCallback: () => proof, checkServerIdentity: () => undefined })":
        '  setImmediate(() => raw.emit("secureConnect"))'
    },
    "cluster: an eavesdropper can read the messages between processes": {
      'ciphers: "ECDHE-PSK-CHACHA20-POLY1305",': 'ciphers: "ECDHE-PSK-NULL-SHA256:@SECLEVEL=0",'
    },
    "cluster: a silent connection stays open": {
      'setTimeout(() => refuse("too_slow"),': "setTimeout(() => 0 * Number(refuse),"
    },
    "cluster: the number of unauthenticated connections has no limit": {
      "if (unproven.size > unprovenMax)": "if (unproven.size > 1_000_000)"
    },
    "cluster: the newest connection is closed when there are too many": {
      "const [oldest] = unproven.values()": "const oldest = [...unproven.values()].at(-1)"
    },
    "cluster: every refused connection writes a log line": { "now - known.at >= 60_000": "now >= 0" }
  }),
  ...guards("src/runtime/cluster/Cluster.ts", "test/postgres/process/RunnerConnections.full.test.ts", {
    "cluster: a frame has no size limit": { "maxFrameSize: messageBytesMax": 'maxFrameSize: "unbounded"' }
  })
]
