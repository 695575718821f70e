import { Effect, Layer } from "effect"
import { Dns, NetAddress } from "effect/net"
import * as net from "node:net"
import { EgressGuard, type EgressGuardOptions } from "../../../src/outbound/webhooks/EgressGuard.ts"
import { WebhookSender, type WebhookSenderOptions } from "../../../src/outbound/webhooks/WebhookSender.ts"

type Answer = ReadonlyArray<string> | Effect.Effect<ReadonlyArray<string>, Dns.DnsError>

/**
 * A name server and a network of one machine. Names have the answers given to them; public addresses lead to local
 * ports; everything that is looked up or dialed is written down. Nothing ever leaves the loopback interface.
 */
export class FakeInternet {
  /** Names looked up, once per record type. */
  readonly lookups: Array<string> = []
  /** Addresses dialed, as `ip:port`. */
  readonly dialed: Array<string> = []
  readonly sockets: Array<net.Socket> = []
  private readonly answers = new Map<string, { readonly queue: ReadonlyArray<Answer>; asked: number }>()
  private readonly routes = new Map<string, { readonly port: number; readonly claims: string }>()

  /** Successive answers to a name, of A and AAAA together; the last one stays. */
  name(name: string, ...answers: ReadonlyArray<Answer>) {
    this.answers.set(name, { queue: answers, asked: 0 })
  }

  /** Lets an address lead to a local port; the socket claims to be connected to the address, or to `claims`. */
  route(ip: string, port: number, claims = ip) {
    this.routes.set(ip, { port, claims })
  }

  /** A name that has one public address, which leads to the receiver. */
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
          // Both record types of one look-up come from one answer: the second query of a pair does not move on.
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

  /** A sender on this network; without `allow` only public addresses are let through, as in production. */
  sender(options: WebhookSenderOptions & EgressGuardOptions = {}) {
    return WebhookSender.layerWith({ dial: this.dial, ...options }).pipe(Layer.provide(this.guard(options)))
  }
}
