export { decodeConfiguration, defineConfigurationStruct, defineListOfStructs } from './decode-configuration.ts'
