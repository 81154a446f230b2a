/** Thrown for YAML that the fast reader (`readPlainYaml`) does not support. */
export const notPlain: Error = new Error('not plain')
