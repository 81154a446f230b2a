export { decodeConfiguration, decodeLenientConfiguration, defineConfigurationStruct, defineListOfStructs } from './decode-configuration.ts'
export type { ConfigurationType, DecodedConfiguration } from './decode-configuration.ts'
