export type { CustomResources, FollowedDefinition, Instances } from './controllers/custom-resources.ts'
export { startDefinitionControllers } from './controllers/start-definition-controllers.ts'
export type { DefinitionControllers, DefinitionControllersOptions } from './controllers/start-definition-controllers.ts'
export { apiextensionsGroup } from './definitions/index.ts'
