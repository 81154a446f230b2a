export { apiextensionsGroup } from './definitions/index.ts'
