export const lowestNode: string
export function findNode(version: string): string
export function typeScriptEnvironment(version: string): { NODE_OPTIONS?: string }
