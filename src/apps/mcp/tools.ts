import { capacityTool } from './tools/capacity.ts';
import { diagnoseTool } from './tools/diagnose.ts';
import { explainTool } from './tools/explain.ts';
import { nameTool } from './tools/name.ts';
import { permissionsTool } from './tools/permissions.ts';
import { statusTool } from './tools/status.ts';
import type { Tool } from './tool.ts';

/** Every tool, in the order in which a client lists them. */
export const TOOLS: readonly Tool[] = [
  statusTool,
  diagnoseTool,
  explainTool,
  capacityTool,
  nameTool,
  permissionsTool,
];
