package script

import (
	"cmp"
	"container/list"
	"crypto/sha1" //nolint:gosec // the name of a script is its SHA-1
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

const (
	// mainChunk is how Redis calls a script in errors.
	mainChunk = "user_script"
	// textLimit bounds a script: its parser keeps some hundred bytes for each level of nesting.
	textLimit = 128 << 10
)

// Program is a compiled script.
type Program struct {
	SHA   string
	proto *lua.FunctionProto
	bytes int
}

// Hash is the name of a script.
func Hash(text string) string {
	sum := sha1.Sum([]byte(text)) //nolint:gosec // the name of a script is its SHA-1
	return hex.EncodeToString(sum[:])
}

// compileText compiles a script, or a text that a script has made. What comes of it makes the
// function out of the two that [rewriter] has put in.
func compileText(text, chunk string) (proto *lua.FunctionProto, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case syntaxError:
			err = v
		default: // a bug of the interpreter makes no program, and does not end the process
			err = fmt.Errorf("%s: the compiler failed: %v", chunk, v)
		}
	}()
	if len(text) > textLimit {
		return nil, fmt.Errorf("%s: the script is longer than %d bytes", chunk, textLimit)
	}
	statements, err := parse.Parse(strings.NewReader(text), chunk)
	if wrong := (*parse.Error)(nil); errors.As(err, &wrong) {
		return nil, errors.New(parseError(wrong, chunk, strings.Count(text, "\n")+1))
	}
	if err != nil {
		return nil, err
	}
	proto, err = lua.Compile(rewrite(statements, chunk), chunk)
	if wrong := (*lua.CompileError)(nil); errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s:%d: %s", chunk, wrong.Line, wrong.Message)
	}
	return proto, err
}

// wordsOfLua replace the parser's messages by Lua's.
var wordsOfLua = map[string]string{
	"syntax error":                  "unexpected symbol",
	"unterminated string":           "unfinished string",
	"unterminated multiline string": "unfinished long string",
}

// parseError words an error as Redis does.
func parseError(err *parse.Error, chunk string, lines int) string {
	line, token := err.Pos.Line, err.Token
	if line == parse.EOF {
		line, token = lines, "<eof>"
	}
	return fmt.Sprintf("%s:%d: %s near '%s'", chunk, line, cmp.Or(wordsOfLua[err.Message], err.Message), token)
}

// Cache keeps the programs of the latest scripts. It is not safe for concurrent use.
type Cache struct {
	programs map[string]*list.Element
	byUse    list.List // the latest first
	bytes    int
}

// Bounds of a cache. A compiled script takes some twenty times its text.
const (
	cachedPrograms = 1000
	cachedBytes    = 1 << 20
)

// Load compiles a script, unless it is there already.
func (c *Cache) Load(text string) (*Program, error) {
	sha := Hash(text)
	if p := c.Get(sha); p != nil {
		return p, nil
	}
	proto, err := compileText(text, mainChunk)
	if err != nil {
		return nil, err
	}
	p := &Program{SHA: sha, proto: proto, bytes: len(text)}
	if c.programs == nil {
		c.programs = map[string]*list.Element{}
	}
	c.programs[sha] = c.byUse.PushFront(p)
	c.bytes += p.bytes
	for c.byUse.Len() > 1 && (c.byUse.Len() > cachedPrograms || c.bytes > cachedBytes) {
		oldest := c.byUse.Remove(c.byUse.Back()).(*Program)
		delete(c.programs, oldest.SHA)
		c.bytes -= oldest.bytes
	}
	return p, nil
}

// Get finds a program by its SHA-1 in lower case; nil if it is not there.
func (c *Cache) Get(sha string) *Program {
	e := c.programs[sha]
	if e == nil {
		return nil
	}
	c.byUse.MoveToFront(e)
	return e.Value.(*Program)
}

// Flush forgets all programs.
func (c *Cache) Flush() { *c = Cache{} }

// syntaxError is what makes a text no program, beyond what the parser knows.
type syntaxError string

func (e syntaxError) Error() string { return string(e) }

// nestingLimit bounds the nesting of a program: the compiler calls itself for each level.
const nestingLimit = 1000

// mostFields bounds the values of a table in the text: the interpreter would leave out what comes
// after 25,550 of them.
const mostFields = 25000

// The names of what is put into a program. No script can name them.
const (
	concatName = "(concat)"
	indexName  = "(index)"
)

// rewriter puts calls of functions that count into a program, where an instruction of the
// interpreter could make any amount of memory: "a .. b" becomes (concat)(a, b), and t[i] = v
// becomes t[(index)(i)] = v.
type rewriter struct {
	chunk string
	depth int
}

// rewrite gives a program that returns its main function when it is called with the two functions.
func rewrite(statements []ast.Stmt, chunk string) []ast.Stmt {
	r := &rewriter{chunk: chunk}
	r.block(statements)
	functions := &ast.LocalAssignStmt{Names: []string{concatName, indexName}, Exprs: []ast.Expr{&ast.Comma3Expr{}}}
	main := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: statements}
	return []ast.Stmt{functions, &ast.ReturnStmt{Exprs: []ast.Expr{main}}}
}

// enter counts a level of nesting, until leave.
func (r *rewriter) enter(line int) {
	r.depth++
	if r.depth > nestingLimit {
		panic(syntaxError(fmt.Sprintf("%s:%d: chunk has too many syntax levels", r.chunk, line)))
	}
}

func (r *rewriter) leave() { r.depth-- }

func (r *rewriter) block(statements []ast.Stmt) {
	for _, statement := range statements {
		r.enter(statement.Line())
		r.statement(statement)
		r.leave()
	}
}

func (r *rewriter) statement(statement ast.Stmt) {
	switch s := statement.(type) {
	case *ast.AssignStmt:
		r.targets(s.Lhs)
		r.list(s.Rhs)
	case *ast.LocalAssignStmt:
		r.list(s.Exprs)
	case *ast.FuncCallStmt:
		s.Expr = r.expression(s.Expr)
	case *ast.DoBlockStmt:
		r.block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expression(s.Condition)
		r.block(s.Stmts)
	case *ast.RepeatStmt:
		s.Condition = r.expression(s.Condition)
		r.block(s.Stmts)
	case *ast.IfStmt:
		s.Condition = r.expression(s.Condition)
		r.block(s.Then)
		r.block(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit, s.Step = r.expression(s.Init), r.expression(s.Limit), r.expression(s.Step)
		r.block(s.Stmts)
	case *ast.GenericForStmt:
		r.list(s.Exprs)
		r.block(s.Stmts)
	case *ast.FuncDefStmt:
		r.block(s.Func.Stmts) // its name has constant keys
	case *ast.ReturnStmt:
		r.list(s.Exprs)
	case *ast.BreakStmt:
	case *ast.LabelStmt, *ast.GotoStmt:
		panic(syntaxError(fmt.Sprintf("%s:%d: Lua 5.1 has no goto", r.chunk, statement.Line())))
	default: // what is not known could make any amount of memory
		panic(syntaxError(fmt.Sprintf("%s:%d: unexpected %T", r.chunk, statement.Line(), statement)))
	}
}

// targets rewrites what is assigned to.
func (r *rewriter) targets(targets []ast.Expr) {
	for _, target := range targets {
		if field, isField := target.(*ast.AttrGetExpr); isField {
			field.Object = r.expression(field.Object)
			field.Key = r.index(r.expression(field.Key))
		}
	}
}

func (r *rewriter) list(expressions []ast.Expr) {
	for i := range expressions {
		expressions[i] = r.expression(expressions[i])
	}
}

// expression gives what takes the place of an expression, which may be missing.
func (r *rewriter) expression(expression ast.Expr) ast.Expr {
	if expression == nil {
		return nil
	}
	r.enter(expression.Line())
	defer r.leave()
	switch e := expression.(type) {
	case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr, *ast.Comma3Expr, *ast.IdentExpr:
	case *ast.AttrGetExpr:
		e.Object, e.Key = r.expression(e.Object), r.expression(e.Key)
	case *ast.TableExpr:
		values := 0
		for _, field := range e.Fields {
			if field.Key != nil {
				field.Key = r.index(r.expression(field.Key))
			} else if values++; values > mostFields {
				panic(syntaxError(fmt.Sprintf("%s:%d: a table has too many values", r.chunk, e.Line())))
			}
			field.Value = r.expression(field.Value)
		}
	case *ast.FuncCallExpr:
		e.Func, e.Receiver = r.expression(e.Func), r.expression(e.Receiver)
		r.list(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = r.expression(e.Lhs), r.expression(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expression(e.Lhs), r.expression(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.expression(e.Lhs), r.expression(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = r.expression(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = r.expression(e.Expr)
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expression(e.Expr)
	case *ast.FunctionExpr:
		r.block(e.Stmts)
	case *ast.StringConcatOpExpr:
		return r.concatenation(e)
	default:
		panic(syntaxError(fmt.Sprintf("%s:%d: unexpected %T", r.chunk, expression.Line(), expression)))
	}
	return expression
}

// concatenation joins all of a .. b .. c in one call.
func (r *rewriter) concatenation(e *ast.StringConcatOpExpr) ast.Expr {
	var parts []ast.Expr
	rest := ast.Expr(e)
	for {
		pair, isPair := rest.(*ast.StringConcatOpExpr)
		if !isPair {
			break
		}
		parts = append(parts, r.expression(pair.Lhs))
		rest = pair.Rhs
	}
	return hiddenCall(concatName, e, append(parts, r.expression(rest))...)
}

// index lets a key be weighed unless it is a constant of little weight.
func (r *rewriter) index(key ast.Expr) ast.Expr {
	if _, isString := key.(*ast.StringExpr); isString {
		return key
	}
	return hiddenCall(indexName, key, key)
}

func hiddenCall(name string, at ast.PositionHolder, arguments ...ast.Expr) ast.Expr {
	function := &ast.IdentExpr{Value: name}
	call := &ast.FuncCallExpr{Func: function, Args: arguments, AdjustRet: true} // one value, also at the end of a list
	for _, node := range []ast.PositionHolder{function, call} {
		node.SetLine(at.Line())
		node.SetLastLine(at.LastLine())
	}
	return call
}
