export { apiregistrationGroup } from './apiservices/index.ts'
export type { ProxyTarget, ProxyTransport } from './target.ts'
