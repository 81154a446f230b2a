export { startHttpProxy } from './http-proxy.ts'
export type { HttpProxy, HttpProxyOptions, Route } from './http-proxy.ts'
