export { parseYaml } from './parse-yaml.ts'
export type { ParsedYaml } from './parse-yaml.ts'
export { toYaml } from './to-yaml.ts'
export { isYamlError, YamlError } from './yaml-error.ts'
