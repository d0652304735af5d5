import { at, isObject, type Json, type JsonObject } from '../../../evidence/json.ts';

function amount(all: JsonObject, name: string): string {
  const value = all[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '0';
}

function amounts(quota: JsonObject, isLimit: boolean): Json {
  const hard = at(quota, 'status.hard');
  const used = at(quota, 'status.used');
  if (!isObject(hard)) return '';
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === isLimit)
    .toSorted()
    .map((name) => {
      const own = isObject(used) ? amount(used, name) : '0';
      return `${name}: ${own}/${amount(hard, name)}`;
    })
    .join(', ');
}

export const requests = (quota: JsonObject): Json => amounts(quota, false);
export const limits = (quota: JsonObject): Json => amounts(quota, true);
