import type { CommandDeclaration } from '../options/declaration.ts';
import { AGENT } from './agent.ts';
import { CAPACITY } from './capacity.ts';
import { CAUSES_COMMAND, EXPLAIN } from './causes.ts';
import { COMPLETION, HELP } from './completion.ts';
import { CONTROLLER } from './controller.ts';
import { DIAGNOSE } from './diagnose.ts';
import { FIX } from './fix.ts';
import { GATE } from './gate.ts';
import { INSTALL, UNINSTALL } from './install.ts';
import { JOIN } from './join.ts';
import { LAB } from './lab.ts';
import { MCP } from './mcp.ts';
import { NAME } from './name.ts';
import { PERMISSIONS_COMMAND } from './permissions.ts';
import { PREFLIGHT } from './preflight.ts';
import { RECORD } from './record.ts';
import { SIM } from './sim.ts';
import { STATUS } from './status.ts';
import { TIMELINE } from './timeline.ts';

/** Every command, in the order of help. */
export const COMMAND_DECLARATIONS: readonly CommandDeclaration[] = [
  STATUS,
  DIAGNOSE,
  PREFLIGHT,
  FIX,
  CAPACITY,
  NAME,
  PERMISSIONS_COMMAND,
  EXPLAIN,
  CAUSES_COMMAND,
  CONTROLLER,
  AGENT,
  JOIN,
  GATE,
  INSTALL,
  UNINSTALL,
  RECORD,
  TIMELINE,
  MCP,
  LAB,
  SIM,
  COMPLETION,
  HELP,
];
