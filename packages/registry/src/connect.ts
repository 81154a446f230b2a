import type { Duplex } from 'node:stream'
import type { KubeObject, RequestContext } from '@keelson/apimachinery'

/** The TLS settings of a connection to a remote. Certificates are in PEM format. */
export interface RemoteTls {
  /** Whether the remote's certificate is verified. */
  readonly verify: boolean
  /** The certificate authorities to trust. Default: the system's certificate authorities. */
  readonly authority?: string
  readonly certificate?: string
  readonly key?: string
}

/** Opens a TCP connection, possibly through a proxy. Rejects if that fails or `signal` is aborted. */
export type DialRemote = (destination: { readonly host: string; readonly port: number }, signal: AbortSignal) => Promise<Duplex>

/** The remote end of a connection. */
export interface Remote {
  readonly scheme: 'http' | 'https'
  /** A host name, or an IP address without brackets. */
  readonly host: string
  /** The port, or "" for the default port of the scheme. */
  readonly port: string
  /** The decoded path. */
  readonly path: string
  /** The encoded query string of the remote's URL. */
  readonly query: string
  readonly tls?: RemoteTls
  /**
   * The IP address that the check of the host allowed. The connection uses only this address, so that a later DNS answer cannot redirect
   * it. Absent: the host is resolved when connecting.
   */
  readonly address?: string
  /** Timeout for connecting, in milliseconds. Default: 30 s. */
  readonly connectTimeoutMs?: number
  /** Default: a direct connection. */
  readonly dial?: DialRemote
}

/** The streams of a process that a client requests. */
export interface ProcessStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** The target of a connection: the result of `Connecter.connect`. */
export interface ConnectTarget {
  readonly remote: Remote
  /**
   * `proxy` forwards every request, with the client's query string. `upgrade` forwards only protocol upgrades, with the remote's query
   * string, and refuses other requests.
   */
  readonly passes: 'proxy' | 'upgrade'
  /**
   * The connection of WebSocket clients to a remote that speaks SPDY. `process` translates the channels of v5.channel.k8s.io to SPDY
   * streams. `tunnel` carries a SPDY connection of the client inside the WebSocket. Absent: protocol upgrades are forwarded unchanged.
   */
  readonly websocket?: { readonly process: ProcessStreams } | { readonly tunnel: true }
}

/** The type of an option that a query parameter sets. */
export type OptionType = 'boolean' | 'integer' | 'integers' | 'string' | 'strings' | 'time'

/** The options of a subresource. Clients send them as query parameters. */
export interface OptionsDescription {
  /** The kind in the hub version: "PodExecOptions". */
  readonly kind: string
  readonly members: Readonly<Record<string, OptionType>>
  /** Whether the rest of the URL path, after the subresource, becomes the option `path`. */
  readonly path?: boolean
}

/** A storage that connects clients to a remote (pods/exec, services/proxy). */
export interface Connecter {
  readonly connectMethods: readonly string[]
  /** The options that clients send as query parameters. With `path: true`, all URL paths below the subresource are served too. */
  readonly connectOptions: OptionsDescription
  /** Whether every request also requires the permission to create the subresource, because the connection runs a command. */
  readonly connectNeedsCreate?: boolean
  connect(context: RequestContext, name: string, options: KubeObject): Promise<ConnectTarget>
}

/** A storage whose GET streams bytes from a remote (pods/log). */
export interface Streamer {
  readonly streamOptions: OptionsDescription
  readonly streamType: string
  /** Returns the target of the stream, or undefined while there is nothing to stream. */
  openStream(context: RequestContext, name: string, options: KubeObject): Promise<StreamTarget | undefined>
}

/** The target of a stream: the result of `Streamer.openStream`. */
export interface StreamTarget {
  readonly remote: Remote
  /** The resource that error messages about the remote name: "pods/log". */
  readonly resource: string
}
