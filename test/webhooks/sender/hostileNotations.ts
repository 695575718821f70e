/** An address for each kind of IPv4 address that is not public. */
const addresses = [
  [127, 0, 0, 1], // loopback
  [0, 0, 0, 0], // this host
  [10, 1, 2, 3],
  [100, 64, 7, 9], // carrier NAT
  [169, 254, 169, 254], // metadata of most clouds
  [172, 16, 5, 4],
  [192, 168, 1, 1],
  [192, 0, 0, 192], // Oracle's metadata
  [168, 63, 129, 16], // Azure's host agent
  [192, 0, 2, 33], // documentation
  [198, 18, 9, 1], // benchmarks
  [224, 0, 0, 251], // multicast
  [255, 255, 255, 255] // broadcast
] as const

type Bytes = (typeof addresses)[number]

const number = ([a, b, c, d]: Bytes) => ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
const dotted = (bytes: Bytes) => bytes.join(".")
/** The two groups of an IPv6 address that hold an IPv4 address. */
const groups = ([a, b, c, d]: Bytes) => `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
const inverted = ([a, b, c, d]: Bytes) => groups([a ^ 255, b ^ 255, c ^ 255, d ^ 255] as unknown as Bytes)
const fullWidth = (text: string) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
const mathematical = (text: string) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x1d7f6 + Number(digit)))

/** Every notation of an IPv4 address in a URL that some parser or network resolves to that address. */
const notations: ReadonlyArray<(bytes: Bytes) => string> = [
  dotted,
  (bytes) => `${dotted(bytes)}.`,
  (bytes) => String(number(bytes)),
  (bytes) => `0x${number(bytes).toString(16)}`,
  (bytes) => `0X${number(bytes).toString(16).toUpperCase().padStart(12, "0")}`,
  (bytes) => `0${number(bytes).toString(8)}`,
  (bytes) => bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
  (bytes) => bytes.map((byte) => `0${byte.toString(8).padStart(5, "0")}`).join("."),
  ([a, b, c, d]) => `0x${a.toString(16)}.0${b.toString(8)}.${c * 256 + d}`,
  ([a, b, c, d]) => `${a}.${b * 65_536 + c * 256 + d}`,
  (bytes) => fullWidth(dotted(bytes)),
  (bytes) => mathematical(dotted(bytes)),
  (bytes) => dotted(bytes).replaceAll(".", "。"),
  (bytes) => dotted(bytes).replaceAll(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
  (bytes) => `[::ffff:${dotted(bytes)}]`,
  (bytes) => `[::FFFF:${groups(bytes)}]`,
  (bytes) => `[0000:0000:0000:0000:0000:ffff:${groups(bytes)}]`,
  (bytes) => `[::${groups(bytes)}]`, // compatible
  (bytes) => `[::ffff:0:${groups(bytes)}]`, // translated
  (bytes) => `[64:ff9b::${dotted(bytes)}]`, // NAT64
  (bytes) => `[64:ff9b:1::${groups(bytes)}]`, // NAT64, local
  (bytes) => `[2002:${groups(bytes)}::1]`, // 6to4
  (bytes) => `[2001:0:${groups(bytes)}::1]`, // Teredo, its server
  (bytes) => `[2001:0:808:808:0:0:${inverted(bytes)}]`, // Teredo, its client
  (bytes) => `[fe80::5efe:${groups(bytes)}]`, // ISATAP
  (bytes) => `user@${dotted(bytes)}`,
  (bytes) => `example.com%40${dotted(bytes)}`,
  (bytes) => `${dotted(bytes)}:8443`,
  (bytes) => `${dotted(bytes)}:22`
]

/** URLs whose host is an address that is not public, in all these notations. */
export const hostileNotations: ReadonlyArray<string> = [
  ...new Set(addresses.flatMap((bytes) => notations.map((write) => `https://${write(bytes)}/`)))
]

/** The same addresses as answers for a name: alone, written as IPv6, and hidden behind public ones. */
export const hostileAnswers: ReadonlyArray<readonly [name: string, answer: ReadonlyArray<string>]> = addresses.flatMap(
  (bytes, index) => [
    [`a${index}.rebinding.com`, [dotted(bytes)]],
    [`aaaa${index}.rebinding.com`, [`::ffff:${groups(bytes)}`]],
    [`nat64-${index}.rebinding.com`, ["2606:4700:4700::1111", `64:ff9b::${groups(bytes)}`]],
    [`last${index}.rebinding.com`, ["93.184.215.14", "2606:4700:4700::1111", "93.184.215.15", dotted(bytes)]]
  ]
)

/**
 * URLs of receivers on the public internet. Each has the address that its host resolves to (null: the host is an
 * address)
 * and the address as dialed.
 */
export const publicUrls: ReadonlyArray<readonly [url: string, answer: string | null, dialed: string]> = [
  ["https://example.com", "93.184.215.14", "93.184.215.14:443"],
  ["https://hooks.example.com/folio?tenant=7&x=%20", "140.82.121.4", "140.82.121.4:443"],
  ["https://EXAMPLE.org/Hook", "151.101.1.69", "151.101.1.69:443"],
  ["https://example.net./hook", "104.16.132.229", "104.16.132.229:443"],
  ["https://example.com.co:8443/hook", "190.60.0.1", "190.60.0.1:8443"],
  ["https://a.b.c.d.example.co/x/../y", "200.3.14.10", "200.3.14.10:443"],
  ["https://hook_s.example.io/", "172.217.16.142", "172.217.16.142:443"],
  ["https://exämple.com/ü", "142.250.74.110", "142.250.74.110:443"],
  ["https://localhost.example.dev/", "34.117.59.81", "34.117.59.81:443"],
  ["https://10.0.0.1.example.app/", "35.190.247.1", "35.190.247.1:443"],
  ["https://127-0-0-1.example.app/", "52.94.236.248", "52.94.236.248:443"],
  ["https://metadata.example.cloud/latest/meta-data/", "54.239.28.85", "54.239.28.85:443"],
  ["https://six.example.com/", "2a00:1450:4001:80b::200e", "[2a00:1450:4001:80b::200e]:443"],
  ["https://edge.example.com/", "172.32.0.1", "172.32.0.1:443"],
  ["https://edge2.example.com/", "100.128.0.1", "100.128.0.1:443"],
  ["https://8.8.8.8/", null, "8.8.8.8:443"],
  ["https://0x01010101/", null, "1.1.1.1:443"],
  ["https://9.9.9.9:8443/hook", null, "9.9.9.9:8443"],
  ["https://223.255.255.1/", null, "223.255.255.1:443"],
  ["https://[2606:4700:4700::1111]/", null, "[2606:4700:4700::1111]:443"],
  ["https://[2001:4860:4860:0000:0000:0000:0000:8888]:8443/", null, "[2001:4860:4860::8888]:8443"]
]
