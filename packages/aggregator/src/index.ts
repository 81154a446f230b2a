export { apiregistrationGroup } from './apiservices/index.ts'
export type { ProxyTarget, ProxyTransport } from './target.ts'
export { authenticationConfigMap, parseNames } from './extension-server/published-authentication.ts'
