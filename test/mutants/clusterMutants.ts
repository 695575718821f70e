import { guards, type Mutant } from "./Mutant.ts"

/** Guards of what the processes say to each other. */
export const clusterMutants: ReadonlyArray<Mutant> = [
  ...guards("src/platform/cluster/RunnerConnections.ts", "test/postgres/process/RunnerConnections.full.test.ts", {
    "cluster: the key of the connections does not come from the secret": {
      'hkdfSync("sha256", secret,': 'hkdfSync("sha256", "",'
    },
    "cluster: connections need no proof": {
      "const socket = new Tls.TLSSocket(raw, options)":
        'const socket: any = raw\n    setImmediate(() => raw.emit("secure"))',
      "  socket = Tls.connect({ ...tls, socket: raw, pskCallback: () => proof, checkServerIdentity: () => undefined })":
        '  setImmediate(() => raw.emit("secureConnect"))'
    },
    "cluster: what the processes say can be read on the way": {
      'ciphers: "ECDHE-PSK-CHACHA20-POLY1305",': 'ciphers: "ECDHE-PSK-NULL-SHA256:@SECLEVEL=0",'
    },
    "cluster: a silent connection may stay": {
      'setTimeout(() => refuse("too_slow"),': "setTimeout(() => 0 * Number(refuse),"
    },
    "cluster: any number of connections may be without proof": {
      "if (unproven.size > unprovenMax)": "if (unproven.size > 1_000_000)"
    },
    "cluster: the newest connection is cut when there are too many": {
      "const [oldest] = unproven.values()": "const oldest = [...unproven.values()].at(-1)"
    },
    "cluster: every refusal has its line in the log": { "now - known.at >= 60_000": "now >= 0" }
  }),
  ...guards("src/platform/cluster/Cluster.ts", "test/postgres/process/RunnerConnections.full.test.ts", {
    "cluster: a frame may have any size": { "maxFrameSize: messageBytesMax": 'maxFrameSize: "unbounded"' }
  })
]
