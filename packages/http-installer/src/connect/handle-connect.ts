import { newBadRequest } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { Connecter, ConnectTarget } from '@keelson/registry'
import { admitConnect } from '@keelson/registry'
import type { ApiRequest, Handler } from '../routing/served-resource.ts'
import { splitList } from './forwarded-headers.ts'
import { passUpgrade } from './pass-upgrade.ts'
import { proxyRequest } from './proxy-request.ts'
import { readConnectOptions } from './read-connect-options.ts'
import { processProtocol, translateWebSocket } from './translate-websocket.ts'
import { requestsTunnel, tunnelWebSocket } from './tunnel-websocket.ts'

/** Returns a handler that forwards the request to the server that the storage names (such as a kubelet). */
export function handleConnect(connecter: Connecter): Handler {
  return async (request) => {
    const { exchange, served, name, query } = request
    if (query.has('dryRun')) throw newBadRequest('dryRun is not supported')
    const { connectOptions } = connecter
    const options: KubeObject = readConnectOptions(connectOptions, query)
    if (connectOptions.path === true) Object.assign(options, { path: readPathBehind(request) })
    await admitConnect(served, exchange, name, options)
    if (connecter.connectNeedsCreate && exchange.attributes.verb !== 'create') await served.settings.authorizeConnect(exchange)
    return forward(request, await connecter.connect(exchange, name, options))
  }
}

async function forward({ exchange, served }: ApiRequest, { remote, passes, websocket }: ConnectTarget): Promise<void> {
  const { upgrade } = exchange
  const { stopping } = served.settings
  if (upgrade === undefined) {
    if (passes === 'upgrade') throw newBadRequest('Upgrade request required')
    return proxyRequest({ exchange, stopping }, remote)
  }
  const passage = { exchange, upgrade, stopping }
  if (websocket !== undefined && exchange.getHeader('upgrade')?.toLowerCase() === 'websocket') {
    const protocols = splitList(exchange.getHeader('sec-websocket-protocol'))
    if ('tunnel' in websocket) {
      if (requestsTunnel(protocols)) return tunnelWebSocket(passage, remote)
    } else if (protocols.includes(processProtocol)) return translateWebSocket(passage, remote, websocket.process)
  }
  return passUpgrade(passage, remote)
}

/** Returns the path after the subresource: either "", or a path with a leading slash. A trailing slash of the URL is kept. */
function readPathBehind({ exchange: { attributes } }: ApiRequest): string {
  const path = attributes.parts.slice(3).join('/')
  const rooted = path === '' || path.startsWith('/') ? path : `/${path}`
  return attributes.path.endsWith('/') && !rooted.endsWith('/') ? `${rooted}/` : rooted
}
