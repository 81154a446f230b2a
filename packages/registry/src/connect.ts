import type { KubeObject, RequestContext } from '@keelson/apimachinery'

/** How a remote end is believed. Certificates are PEM. */
export interface RemoteTls {
  /** False: whatever certificate it shows. */
  readonly verify: boolean
  /** Default: the authorities of the system. */
  readonly authority?: string
  readonly certificate?: string
  readonly key?: string
}

/** Where a connection goes on to. */
export interface Remote {
  readonly scheme: 'http' | 'https'
  /** A name or an address, without brackets. */
  readonly host: string
  /** "" is the scheme's own. */
  readonly port: string
  /** Decoded. */
  readonly path: string
  /** Encoded, of the remote's own. */
  readonly query: string
  readonly tls?: RemoteTls
  /** What the host was found to be when it was allowed: this and nothing else is dialled. */
  readonly address?: string
  /** How long it may take until it listens. Default 30 s. */
  readonly connectTimeoutMs?: number
}

/** Which streams of a process a client wants. */
export interface ProcessStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** What a `Connecter` answers with. */
export interface ConnectTarget {
  readonly remote: Remote
  /** `proxy`: every request is passed on, with the client's own query. `upgrade`: those that change the protocol, with the remote's query; others are refused. */
  readonly passes: 'proxy' | 'upgrade'
  /**
   * Newer WebSocket clients are spoken to here, and the remote in SPDY: `process` streams (v5.channel.k8s.io), or a `tunnel` in which
   * the client speaks SPDY itself. Absent: every upgrade is passed on as it is.
   */
  readonly websocket?: { readonly process: ProcessStreams } | { readonly tunnel: true }
}

/** How a query's parameter becomes a member of the options. */
export type OptionType = 'boolean' | 'integer' | 'integers' | 'string' | 'strings' | 'time'

export interface OptionsDescription {
  /** In the hub version: "PodExecOptions". */
  readonly kind: string
  readonly members: Readonly<Record<string, OptionType>>
  /** The URL's part behind the subresource is the member `path`. */
  readonly path?: boolean
}

/** A path that hands a connection on instead of answering (pods/exec, services/proxy). */
export interface Connecter {
  readonly connectMethods: readonly string[]
  /** `path: true`: everything below is served too, and is the option `path`. */
  readonly connectOptions: OptionsDescription
  /** Whoever may get must also be allowed to create: it runs something, whatever the method. */
  readonly connectNeedsCreate?: boolean
  connect(context: RequestContext, name: string, options: KubeObject): Promise<ConnectTarget>
}

/** A GET that answers with bytes from elsewhere (pods/log). */
export interface Streamer {
  readonly streamOptions: OptionsDescription
  readonly streamType: string
  /** undefined: there is nothing to stream yet. */
  openStream(context: RequestContext, name: string, options: KubeObject): Promise<StreamTarget | undefined>
}

export interface StreamTarget {
  readonly remote: Remote
  /** What failures of the remote are about: "pods/log". */
  readonly resource: string
}
