export type { ContentResource, RemoteContent } from './controller.ts'
export { selectControllers } from './select-controllers.ts'
export { controllerNames, startControllers } from './start-controllers.ts'
export type { ControllersOptions, RunningControllers } from './start-controllers.ts'
