export const root: string
export const node: string
export function tool(name: string): string
export function pnpm(...args: string[]): [string, string[]]
