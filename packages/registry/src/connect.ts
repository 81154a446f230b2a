import type { KubeObject, RequestContext } from '@keelson/apimachinery'

/** TLS settings of a connection to a remote. Certificates are PEM. */
export interface RemoteTls {
  /** Whether the certificate of the remote is checked. */
  readonly verify: boolean
  /** The certificate authorities to trust. Default: those of the system. */
  readonly authority?: string
  readonly certificate?: string
  readonly key?: string
}

/** The remote end of a connection. */
export interface Remote {
  readonly scheme: 'http' | 'https'
  /** A host name, or an IP address without brackets. */
  readonly host: string
  /** The port, or "" for the default port of the scheme. */
  readonly port: string
  /** The decoded path. */
  readonly path: string
  /** The encoded query of the remote's URL. */
  readonly query: string
  readonly tls?: RemoteTls
  /** The IP address that passed the check of the host. The connection uses only this address. */
  readonly address?: string
  /** Timeout for connecting, in milliseconds. Default: 30 s. */
  readonly connectTimeoutMs?: number
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
   * `proxy` forwards every request with the client's query. `upgrade` forwards only protocol upgrades, with the remote's query, and refuses other
   * requests.
   */
  readonly passes: 'proxy' | 'upgrade'
  /**
   * Translates WebSocket clients to SPDY for the remote. `process` translates the streams of v5.channel.k8s.io. `tunnel` carries the client's own
   * SPDY. Absent: upgrades are forwarded unchanged.
   */
  readonly websocket?: { readonly process: ProcessStreams } | { readonly tunnel: true }
}

/** The type of an option that is read from a query parameter. */
export type OptionType = 'boolean' | 'integer' | 'integers' | 'string' | 'strings' | 'time'

/** The options of a subresource, which clients send in the query. */
export interface OptionsDescription {
  /** The kind in the hub version: "PodExecOptions". */
  readonly kind: string
  readonly members: Readonly<Record<string, OptionType>>
  /** Whether the URL path after the subresource becomes the option `path`. */
  readonly path?: boolean
}

/** A path that connects clients to a remote (pods/exec, services/proxy). */
export interface Connecter {
  readonly connectMethods: readonly string[]
  /** The options in the query. With `path: true`, all paths below this one are served too. */
  readonly connectOptions: OptionsDescription
  /** Whether every request also requires permission to create, because it runs a command. */
  readonly connectNeedsCreate?: boolean
  connect(context: RequestContext, name: string, options: KubeObject): Promise<ConnectTarget>
}

/** A path whose GET streams bytes from a remote (pods/log). */
export interface Streamer {
  readonly streamOptions: OptionsDescription
  readonly streamType: string
  /** Returns the target of the stream, or undefined while there is nothing to stream. */
  openStream(context: RequestContext, name: string, options: KubeObject): Promise<StreamTarget | undefined>
}

/** The target of a stream: the result of `Streamer.openStream`. */
export interface StreamTarget {
  readonly remote: Remote
  /** The resource in errors of the remote: "pods/log". */
  readonly resource: string
}
