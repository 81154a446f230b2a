import type { Pod, PodAttachOptions, PodExecOptions, PodPortForwardOptions } from '@keelson/api/core/v1'
import { newBadRequest } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import { readResult, describeRESTStorage } from '@keelson/registry'
import type { Connecter, Getter, OptionsDescription, ProcessStreams, RESTStorage } from '@keelson/registry'
import type { KubeletClient, KubeletConnection } from './kubelet-client.ts'
import { resolveContainerName } from './container-name.ts'

/** Access to pods and their kubelets. */
export interface PodStreams {
  readonly pods: Getter
  readonly kubelet: KubeletClient
}

type StreamStorage = RESTStorage & Connecter

const processMembers = { stdin: 'boolean', stdout: 'boolean', stderr: 'boolean', tty: 'boolean', container: 'string' } as const

/** Creates pods/NAME/exec (GET and POST), which runs a command in a container. */
export function execSubresource(clients: PodStreams): StreamStorage {
  return {
    ...describeStream({ kind: 'PodExecOptions', members: { ...processMembers, command: 'strings' } }),
    connect: (context, name, options) => connectProcess(clients, context, { name, verb: 'exec', options }),
  }
}

/** Creates pods/NAME/attach (GET and POST), which attaches to the main process of a container. */
export function attachSubresource(clients: PodStreams): StreamStorage {
  return {
    ...describeStream({ kind: 'PodAttachOptions', members: processMembers }),
    connect: (context, name, options) => connectProcess(clients, context, { name, verb: 'attach', options }),
  }
}

/** Creates pods/NAME/portforward (GET and POST), which multiplexes connections to ports of a pod over one connection. */
export function createPortForwardSubresource(clients: PodStreams): StreamStorage {
  return {
    ...describeStream({ kind: 'PodPortForwardOptions', members: { ports: 'integers' } }),
    async connect(context, name, options) {
      const { ports = [] } = options as unknown as PodPortForwardOptions
      const pod = readResult<Pod>(await clients.pods.get(context, name, {}))
      const { remote, speaksWebSocket } = await connectToKubelet(clients, context, name, pod)
      const path = `/portForward/${pod.metadata.namespace}/${pod.metadata.name}`
      const query = ports.length === 0 ? '' : new URLSearchParams({ port: ports.join(',') }).toString()
      return { remote: { ...remote, path, query }, passes: 'upgrade', ...(speaksWebSocket ? {} : { websocket: { tunnel: true } }) }
    },
  }
}

/** Describes a subresource that streams. GET is supported because browsers open WebSockets with GET. */
function describeStream(connectOptions: OptionsDescription): RESTStorage & Omit<Connecter, 'connect'> {
  const gvk = { group: '', version: 'v1', kind: connectOptions.kind }
  return { ...describeRESTStorage(gvk), connectMethods: ['GET', 'POST'], connectOptions, connectNeedsCreate: true }
}

interface ProcessRequest {
  readonly name: string
  readonly verb: 'exec' | 'attach'
  readonly options: KubeObject
}

async function connectProcess(clients: PodStreams, context: RequestContext, request: ProcessRequest): ReturnType<Connecter['connect']> {
  const { name, verb } = request
  const options = request.options as unknown as PodAttachOptions & Partial<Pick<PodExecOptions, 'command'>>
  const pod = readResult<Pod>(await clients.pods.get(context, name, {}))
  const container = resolveContainerName(pod, options.container ?? '')
  const { remote, speaksWebSocket } = await connectToKubelet(clients, context, name, pod)
  const { stdin = false, stdout = false, stderr = false, tty = false, command } = options
  const streams: ProcessStreams = { stdin, stdout, stderr, tty }
  const path = `/${verb}/${pod.metadata.namespace}/${pod.metadata.name}/${container}`
  return {
    remote: { ...remote, path, query: buildProcessQuery(streams, command ?? []) },
    passes: 'upgrade',
    ...(speaksWebSocket ? {} : { websocket: { process: streams } }),
  }
}

function buildProcessQuery({ stdin, stdout, stderr, tty }: ProcessStreams, command: readonly string[]): string {
  const query = new URLSearchParams(command.map((word) => ['command', word]))
  if (stderr) query.append('error', '1')
  if (stdin) query.append('input', '1')
  if (stdout) query.append('output', '1')
  if (tty) query.append('tty', '1')
  return query.toString()
}

function connectToKubelet(
  { kubelet }: PodStreams,
  context: RequestContext,
  name: string,
  pod: DeepReadonly<Pod>,
): Promise<KubeletConnection> {
  const node = pod.spec?.nodeName
  if (!node) throw newBadRequest(`pod ${name} does not have a host assigned`)
  return kubelet(context, node)
}
