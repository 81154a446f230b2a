import { newBadRequest } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { Connecter, ConnectTarget } from '@keelson/registry'
import { admitConnect } from '@keelson/registry'
import { requestContextOf } from '../context.ts'
import type { ApiRequest } from '../scope.ts'
import { splitList } from './forwarded-headers.ts'
import { passUpgrade } from './pass-upgrade.ts'
import { proxyRequest } from './proxy-request.ts'
import { readConnectOptions } from './read-connect-options.ts'
import { processProtocol, translateWebSocket } from './translate-websocket.ts'
import { asksForTunnel, tunnelWebSocket } from './tunnel-websocket.ts'

/** Hands the connection on to where the storage says. */
export async function handleConnect(request: ApiRequest): Promise<Response> {
  const { scope, context, name, query } = request
  if (query.has('dryRun')) throw newBadRequest('dryRun is not supported')
  const connecter = scope.storage as unknown as Connecter
  const { connectOptions } = connecter
  const options: KubeObject = readConnectOptions(connectOptions, query)
  if (connectOptions.path === true) Object.assign(options, { path: pathBehind(request) })
  await admitConnect(scope, context, name, options)
  if (connecter.connectNeedsCreate && context.info.verb !== 'create') await scope.settings.authorizeCreate(context)
  return forward(request, await connecter.connect(context, name, options))
}

async function forward({ c, scope }: ApiRequest, { remote, passes, websocket }: ConnectTarget): Promise<Response> {
  const { upgrade } = c.env
  // The server's own: its signal tells when the client leaves.
  const context = requestContextOf(c)
  const { stopping } = scope.settings
  if (upgrade === undefined) {
    if (passes === 'upgrade') throw newBadRequest('Upgrade request required')
    return proxyRequest({ c, context, stopping }, remote)
  }
  const passage = { c, context, upgrade, stopping }
  if (websocket !== undefined && c.req.header('upgrade')?.toLowerCase() === 'websocket') {
    const protocols = splitList(c.req.header('sec-websocket-protocol'))
    if ('tunnel' in websocket) {
      if (asksForTunnel(protocols)) return tunnelWebSocket(passage, remote)
    } else if (protocols.includes(processProtocol)) return translateWebSocket(passage, remote, websocket.process)
  }
  return passUpgrade(passage, remote)
}

/** What the URL has behind the subresource: "" or with a slash in front, and one at the end where the URL has one. */
function pathBehind({ context: { info } }: ApiRequest): string {
  const path = info.parts.slice(3).join('/')
  const rooted = path === '' || path.startsWith('/') ? path : `/${path}`
  return info.path.endsWith('/') && !rooted.endsWith('/') ? `${rooted}/` : rooted
}
