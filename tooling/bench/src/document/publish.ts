import type { Report } from '../frame/report.ts'

export async function publish(_root: string, _report: Report): Promise<void> {}
export async function documentPublished(_root: string): Promise<void> {}
