export type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
