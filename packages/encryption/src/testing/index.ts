export { startKmsPlugin } from './kms-plugin.ts'
export type { KmsPlugin, KmsPluginOptions } from './kms-plugin.ts'
