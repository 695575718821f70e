import { Effect, Layer } from "effect"
import { Dns, NetAddress } from "effect/net"
import * as net from "node:net"
import { EgressGuard, type EgressGuardOptions } from "../../../src/webhooks/sender/EgressGuard.ts"
import { WebhookSender, type WebhookSenderOptions } from "../../../src/webhooks/sender/WebhookSender.ts"

type Answer = ReadonlyArray<string> | Effect.Effect<ReadonlyArray<string>, Dns.DnsError>

/**
 * A name server and a network on one machine. Names have the given answers, and public addresses lead to local ports.
 * Records each look-up and each connection. No packet leaves the loopback interface.
 */
export class FakeInternet {
  /** Resolved names, once per record type. */
  readonly lookups: Array<string> = []
  /** Addresses dialed, as `ip:port`. */
  readonly dialed: Array<string> = []
  readonly sockets: Array<net.Socket> = []
  private readonly answers = new Map<string, { readonly queue: ReadonlyArray<Answer>; asked: number }>()
  private readonly routes = new Map<string, { readonly port: number; readonly claims: string }>()

  /** Sets successive answers for a name, A and AAAA together. The last answer stays. */
  name(name: string, ...answers: ReadonlyArray<Answer>) {
    this.answers.set(name, { queue: answers, asked: 0 })
  }

  /** Lets an address lead to a local port. The socket claims to be connected to the address, or to `claims`. */
  route(ip: string, port: number, claims = ip) {
    this.routes.set(ip, { port, claims })
  }

  /** Adds a name with one public address, which leads to the receiver. */
  lead(name: string, receiver: { readonly port: number }) {
    const ip = "93.184.215.14"
    this.name(name, [ip])
    this.route(ip, receiver.port)
  }

  readonly dial = (address: NetAddress.InetAddress): net.Socket => {
    const ip = NetAddress.formatIp(address.address)
    this.dialed.push(NetAddress.formatInet(address))
    const route = this.routes.get(ip)
    if (route === undefined && !NetAddress.isLoopback(address.address)) {
      const dead = new net.Socket()
      process.nextTick(() => dead.destroy(new Error("no route to this address")))
      return dead
    }
    const socket = net.connect({ host: route === undefined ? ip : "127.0.0.1", port: route?.port ?? address.port })
    if (route !== undefined) Object.defineProperty(socket, "remoteAddress", { value: route.claims })
    this.sockets.push(socket)
    return socket
  }

  readonly dns = Layer.succeed(
    Dns.Dns,
    Dns.make({
      lookup: (host) => Effect.fail(new Dns.DnsError({ reason: "Unsupported", method: "lookup", hostname: host })),
      resolve: (name, type) =>
        Effect.suspend(() => {
          this.lookups.push(`${name} ${type}`)
          const entry = this.answers.get(name) ?? { queue: [[]], asked: 0 }
          // Both record types of one look-up use one answer, so the second query of a pair does not take the next
          // answer.
          const turn = Math.floor(entry.asked++ / 2)
          const answer = entry.queue[Math.min(turn, entry.queue.length - 1)]!
          return Effect.map(Effect.isEffect(answer) ? answer : Effect.succeed(answer), (ips) =>
            ips.map(NetAddress.ipFromStringUnsafe).flatMap((address): Array<Dns.DnsRecord> => {
              if (NetAddress.isIpv4Address(address)) {
                return type === "A" ? [Dns.makeRecordUnsafe("A", { address })] : []
              }
              return type === "AAAA" ? [Dns.makeRecordUnsafe("AAAA", { address })] : []
            })
          )
        })
    })
  )

  guard(options: EgressGuardOptions = {}) {
    return EgressGuard.layer(options).pipe(Layer.provide(this.dns))
  }

  /** A sender on this network. Without `allow` only public addresses pass, as in production. */
  sender(options: WebhookSenderOptions & EgressGuardOptions = {}) {
    return WebhookSender.layerWith({ dial: this.dial, ...options }).pipe(Layer.provide(this.guard(options)))
  }
}
