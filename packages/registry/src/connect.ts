import type { KubeObject, RequestContext } from '@keelson/apimachinery'

/** How the certificate of a remote is checked. Certificates are PEM. */
export interface RemoteTls {
  /** False: any certificate is accepted. */
  readonly verify: boolean
  /** Default: the authorities of the system. */
  readonly authority?: string
  readonly certificate?: string
  readonly key?: string
}

/** The remote end of a connection. */
export interface Remote {
  readonly scheme: 'http' | 'https'
  /** A name or an address, without brackets. */
  readonly host: string
  /** "": the default of the scheme. */
  readonly port: string
  /** Decoded. */
  readonly path: string
  /** Encoded, of the remote's own. */
  readonly query: string
  readonly tls?: RemoteTls
  /** The address that was checked when the host was allowed. Only this one is dialled. */
  readonly address?: string
  /** Timeout for the connection. Default 30 s. */
  readonly connectTimeoutMs?: number
}

/** The streams of a process that a client asks for. */
export interface ProcessStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** The result of a `Connecter`. */
export interface ConnectTarget {
  readonly remote: Remote
  /** `proxy` passes on every request, with the client's query. `upgrade` passes on requests that change the protocol, with the remote's query, and refuses others. */
  readonly passes: 'proxy' | 'upgrade'
  /**
   * Translates newer WebSocket clients to SPDY for the remote: `process` streams (v5.channel.k8s.io), or a `tunnel` in which
   * the client speaks SPDY itself. Absent: every upgrade is passed on unchanged.
   */
  readonly websocket?: { readonly process: ProcessStreams } | { readonly tunnel: true }
}

/** How a query parameter becomes a member of the options. */
export type OptionType = 'boolean' | 'integer' | 'integers' | 'string' | 'strings' | 'time'

export interface OptionsDescription {
  /** In the hub version: "PodExecOptions". */
  readonly kind: string
  readonly members: Readonly<Record<string, OptionType>>
  /** The part of the URL after the subresource becomes the member `path`. */
  readonly path?: boolean
}

/** A path that passes a connection on to a remote (pods/exec, services/proxy). */
export interface Connecter {
  readonly connectMethods: readonly string[]
  /** `path: true`: everything below the path is served too, as the option `path`. */
  readonly connectOptions: OptionsDescription
  /** Requires the permission to create as well: the request runs a command, whatever its method. */
  readonly connectNeedsCreate?: boolean
  connect(context: RequestContext, name: string, options: KubeObject): Promise<ConnectTarget>
}

/** A GET that streams bytes from a remote (pods/log). */
export interface Streamer {
  readonly streamOptions: OptionsDescription
  readonly streamType: string
  /** undefined: there is nothing to stream yet. */
  openStream(context: RequestContext, name: string, options: KubeObject): Promise<StreamTarget | undefined>
}

export interface StreamTarget {
  readonly remote: Remote
  /** The resource that errors of the remote name: "pods/log". */
  readonly resource: string
}
