export { apiGroups } from './api-groups.ts'
export { isSystemPriorityClass, systemPriorityClasses } from './scheduling/priorityclasses/system-classes.ts'
