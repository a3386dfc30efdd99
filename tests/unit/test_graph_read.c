// SPDX-License-Identifier: MIT
// Graph files of every format: what is read, and every refusal with its place and its values. If MCO_DATA names the folder of
// the public collections, road networks of them are read.
#include "graph_files_support.h"

#ifdef MCO_HAVE_ZLIB
#include <zlib.h>
#endif

#define EDGES MCO_GRAPH_FORMAT_EDGES
#define SNAP MCO_GRAPH_FORMAT_SNAP
#define DIMACS MCO_GRAPH_FORMAT_DIMACS
#define METIS MCO_GRAPH_FORMAT_METIS
#define GRAPHML MCO_GRAPH_FORMAT_GRAPHML
#define TNTP MCO_GRAPH_FORMAT_TNTP
#define MATRIX MCO_GRAPH_FORMAT_MATRIX
#define CSV MCO_GRAPH_FORMAT_CSV
#define AUTO MCO_GRAPH_FORMAT_AUTO

// ---- Lists of edges

static void test_edges(void **state)
{
    (void)state;
    assert_graph("1 2\n2 3\n", EDGES, "undirected 3: 1-2 2-3");
    assert_graph("0 2\n2 3", EDGES, "undirected 4: 0-2 2-3");  // no newline at the end, vertex 1 has no edge
    assert_graph("\xef\xbb\xbf" "1\t2\r\n \r\n2  3 \r\n", EDGES, "undirected 3: 1-2 2-3");  // BOM, CRLF, blanks
    assert_graph("1 2 0.5\n2 3 -4\n1 3 1e3\n", EDGES, "undirected 3: 1-2(0.5) 1-3(1000) 2-3(-4)");
    assert_graph("1 1\n1 2\n2 1\n1 2\n", EDGES, "undirected 2: 1-1 1-2 1-2 1-2");  // a loop and parallel edges
    assert_graph("1,2\n2, 3\n", EDGES, "undirected 3: 1-2 2-3");
    assert_graph("1;2;3\n2;3;4;;\n", EDGES, "undirected 3: 1-2(3) 2-3(4)");
    assert_graph("a b\nb c\n", EDGES, "undirected 3: a-b b-c");
    assert_graph("1 2\n2 x\n", EDGES, "undirected 3: 1-2 2-x");  // one word that is no number: all are names
    assert_graph("\"Old Bridge\" \"a \"\"b\"\"\"\n", EDGES, "undirected 2: Old Bridge-a \"b\"");
    assert_graph("01 02\n", EDGES, "undirected 2: 01-02");
    assert_graph("source target\n1 2\n", EDGES, "undirected 2: 1-2");
    assert_graph("from,to\n1,2\n", EDGES, "undirected 2: 1-2");
    assert_graph("1 2 {}\n2 3 {}\n", EDGES, "undirected 3: 1-2 2-3");
    assert_graph("a b {'kind': 'x', 'weight': 2.5}\n", EDGES, "undirected 2: a-b(2.5)");
    assert_graph("", EDGES, "undirected 0:");
    assert_graph("# nothing\n\n", EDGES, "undirected 0:");
    assert_graph("7398172938 2\n", EDGES, "undirected 2: 7398172938-2");  // beyond the numbers of vertices: names
}

static void test_comments(void **state)
{
    (void)state;
    assert_graph("# Directed graph: x.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n", SNAP, "directed 3: 0>1 1>2");
    assert_graph("# Undirected graph: x.txt\n# Nodes: 4 Edges: 1\n0\t1\n", SNAP, "undirected 4: 0-1");
    assert_graph("# Nodes: 2 Edges: 1\n3466\t937\n", SNAP, "undirected 2: 3466-937");  // fewer vertices than numbers
    assert_graph("% asym unweighted\n1 2\n", EDGES, "directed 2: 1>2");
    assert_graph("# directed\n# vertices: 5 edges: 1 from: 0\n1 2\n", EDGES, "directed 5: 1>2");
    assert_graph("# Nodes: 1\n0 1\n1 2\n", SNAP, "undirected 3: 0-1 1-2");  // a wrong number of vertices
    assert_graph("# ids: names\n5 3\n", EDGES, "undirected 2: 5-3");
    assert_graph("# vertex: c\n# vertex: \"d e\"\na c\n", EDGES, "undirected 3: c-a");
    assert_graph("# vertex: 4\n1 2\n", EDGES, "undirected 4: 1-2");
    assert_graph("1 2\n# the vertices: 12 of them\n2 3\n", EDGES, "undirected 3: 1-2 2-3");
    assert_refused("# ids: rows\n1 2\n2 x\n", EDGES, "f:3:3: the vertex is \"x\", a number from 0 to 2000000000 was expected");
    assert_refused("# ids: other\n1 2\n", EDGES, "f:1:8: ids are \"other\", supported are names and rows");
    assert_refused("1 2\n-1 2\n", SNAP, "f:2:1: the vertex is \"-1\", a number from 0 to 2000000000 was expected");
}

// Ten edges that name a vertex of a very high number take little memory.
static void test_sparse(void **state)
{
    (void)state;
    mco_graph *graph = NULL;
    test_memory.most_bytes = 0;
    assert_ok(graph_of_text("1999999999 5\n5 70000000\n1999999999 70000000\n# vertex: 80000000\n", EDGES,
                            MCO_GRAPH_DIRECTION_AUTO, "file", &graph));
    assert_string_equal(graph_line(graph), "undirected 4: 1999999999-5 1999999999-70000000 5-70000000");
    assert_true(mco_graph_has_names(graph));
    assert_true(test_memory.most_bytes < 1 << 20);
    mco_graph_destroy(test_ctx, &graph);
    assert_fails(graph_of_text("# vertices: 2000000000\n1 2\n", EDGES, MCO_GRAPH_DIRECTION_AUTO, "file", &graph), MCO_ERR_LIMIT,
                 "f:1:13: 2000000000 vertices are stated, a text of 27 bytes may have 1050304");
    assert_graph("1 70000\n", EDGES, "undirected 2: 1-70000");
    assert_ok(graph_of_text("1 60000\n", EDGES, MCO_GRAPH_DIRECTION_AUTO, "file", &graph));
    assert_int_equal(mco_graph_view(graph).vertices, 60000);  // near enough
    mco_graph_destroy(test_ctx, &graph);
}

static void test_edges_refusals(void **state)
{
    (void)state;
    assert_refused("1 2\n3\n", EDGES, "f:2:1: the line has 1 vertex, an edge has 2");
    assert_refused("1 2\n2 3 4\n", EDGES, "f:2:1: the edge has a weight, edges before it have none");
    assert_refused("1 2 3\n\n2 3\n", EDGES, "f:3:1: the edge has no weight, edges before it have one");
    assert_refused("1 2 x\n", EDGES, "f:1:5: the weight is \"x\", a number was expected");
    assert_refused("1 2 1e999\n", EDGES, "f:1:5: the weight is 1e999, allowed is -1e+300 to 1e+300");
    assert_refused("1 2 nan\n", EDGES, "f:1:5: the weight is \"nan\", a number was expected");
    assert_refused("1 2 3 4\n", EDGES, "f:1:7: the line has more than two vertices and a weight");
    assert_refused("a \"b\n", EDGES, "f:1:3: the quote before the vertex is not closed");
    assert_refused("a \"\"\n", EDGES, "f:1:3: the name of a vertex is empty");
    assert_refused(",2\n", EDGES, "f:1:1: the line has 0 vertices, an edge has 2");
    assert_refused("tail head\n1 2\n2 3\n", EDGES,
                   "f:1:1: \"tail\" and \"head\" stand above numbers; a header has the words source and target, or from and to");
    assert_refused("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n", EDGES,
                   "f:1:1: Matrix Market files are not supported; without the comments and the line of sizes this is a list of "
                   "edges");
    assert_refused("% bip unweighted\n1 1\n", EDGES, "f:1:1: the file numbers the two sides of a bipartite graph each from 1, which "
                                                    "is not supported; give them different names");
    assert_refused("a b {'weight': x}\n", EDGES, "f:1:16: the weight is \"x\", a number was expected");
}

// ---- CSV

static void test_csv(void **state)
{
    (void)state;
    assert_graph("source,target\n1,2\n2,3\n", CSV, "undirected 3: 1-2 2-3");
    assert_graph("street;to;weight;from\nA;2;1,5;1\nB;3;2;2\n", CSV, "undirected 3: 1-2(1.5) 2-3(2)");
    assert_graph("from,to\n\"Main, St\",\"B \"\"2\"\"\"\n", CSV, "undirected 2: Main, St-B \"2\"");
    assert_graph("\xef\xbb\xbf# directed\r\nSource\tTarget\r\na\tb\r\n\t\r\nc\t\r\n", CSV, "directed 3: a>b");  // c stands alone
    assert_graph("source,target\n\"\"\"x\"\"\",\"\n", CSV, "undirected 2: \"x\"-\"");  // cells lose their quotes once
    assert_graph("source,target\n", CSV, "undirected 0:");
    assert_graph("source,target,weight\na,a,1\na,b,2\na,b,3\n", CSV, "undirected 2: a-a(1) a-b(2) a-b(3)");
    assert_refused("", CSV, "f:1:1: the table has no header, which names source and target");
    assert_refused("a,b\n1,2\n", CSV, "f:1:1: the header \"a,b\" does not name source and target, or from and to");
    assert_refused("source,target\n,2\n", CSV, "f:2:1: the row has no source");
    assert_refused("source,target,weight\n1,,2\n", CSV, "f:2:1: the row has a weight and no target");
    assert_refused("source,target,weight\n1,2\n", CSV, "f:2:1: the weight is \"\", a number was expected");
    assert_refused("source,target\n1,2,3\n", CSV, "f:2:5: the row has more than the 2 cells of the header");
    assert_refused("source,target,weight\n1,2,x\n", CSV, "f:2:5: the weight is \"x\", a number was expected");
}

// ---- DIMACS

static void test_dimacs(void **state)
{
    (void)state;
    assert_graph("c a road\np sp 3 2\na 1 2 7\na 3 1 2.5\n", DIMACS, "directed 3: 1>2(7) 3>1(2.5)");
    assert_graph("c---\np edge 4 2\ne 1 2\r\nn 3 5\ne 2 2", DIMACS, "undirected 4: 1-2 2-2");
    assert_graph("p col 3 2\ne 1 2\ne 2 1\n", DIMACS, "undirected 3: 1-2 1-2");
    assert_graph("p col 3 1\ne 1 2\ne 2 1\n", DIMACS, "undirected 3: 1-2 1-2");  // each edge twice
    assert_graph("p edge 3 1\ne 1 2 9\n", DIMACS, "undirected 3: 1-2(9)");
    assert_graph("p sp 0 0\n", DIMACS, "directed 0:");
    assert_refused("", DIMACS, "f:1:1: the file has no line \"p sp\", \"p edge\" or \"p col\"");
    assert_refused("p sp 3 2\na 1 2 7\n", DIMACS, "f:1:8: 2 edges are stated, 1 are there");
    assert_refused("p col 3 5\ne 1 2\n", DIMACS, "f:1:9: 5 edges are stated, 1 are there");
    assert_refused("p max 3 2\n", DIMACS, "f:1:3: the problem is \"max\", supported are sp, edge and col");
    assert_refused("p sp 3\n", DIMACS, "f:1:7: the number of edges is \"\", an integer was expected");
    assert_refused("p sp 3 2 1\n", DIMACS, "f:1:10: the line \"p\" has more than problem, vertices and edges");
    assert_refused("p sp 3 2\np sp 3 2\n", DIMACS, "f:2:1: a second line \"p\", a file has one graph");
    assert_refused("e 1 2\np edge 3 1\n", DIMACS, "f:1:1: an edge before the line \"p\"");
    assert_refused("p sp 3 1\na 1 4 1\n", DIMACS, "f:2:5: the vertex is 4, allowed is 1 to 3");
    assert_refused("p sp 3 1\na 0 2 1\n", DIMACS, "f:2:3: the vertex is 0, allowed is 1 to 3");
    assert_refused("p sp 3 1\na 1 2\n", DIMACS, "f:2:6: the weight is \"\", a number was expected");
    assert_refused("p sp 3 1\na 1 2 3 4\n", DIMACS, "f:2:9: the line has more than two vertices and a weight");
    assert_refused("p sp 3 1\ne 1 2 3\n", DIMACS, "f:2:1: the line begins with \"e\", c, p or a was expected");
    assert_refused("p edge 99999999999 1\n", DIMACS, "f:1:8: the number of vertices is 99999999999, allowed is 0 to 2000000000");
}

// ---- METIS

static void test_metis(void **state)
{
    (void)state;
    assert_graph("3 2\n2\n1 3\n2\n", METIS, "undirected 3: 1-2 2-3");
    assert_graph("% c\n4 2\n2\n% d\n1 3\n2\n\n", METIS, "undirected 4: 1-2 2-3");  // the last vertex has no neighbour
    assert_graph("3 2 1\r\n2 5\r\n1 5 3 7\r\n2 7", METIS, "undirected 3: 1-2(5) 2-3(7)");
    assert_graph("3 2 011\n9 2 5\n9 1 5 3 7\n9 2 7\n", METIS, "undirected 3: 1-2(5) 2-3(7)");
    assert_graph("2 1 10 2\n1 2 2\n3 4 1\n", METIS, "undirected 2: 1-2");
    assert_graph("2 1 110 2\n8 1 2 2\n8 3 4 1\n", METIS, "undirected 2: 1-2");
    assert_graph("2 3\n2 2 1\n1 1\n", METIS, "undirected 2: 1-2 1-2 1-1");
    assert_graph("0 0\n", METIS, "undirected 0:");
    mco_graph *graph = NULL;
    assert_ok(graph_of_text("2 1\n2\n1\n", METIS, MCO_GRAPH_DIRECTION_DIRECTED, "file", &graph));
    assert_string_equal(graph_line(graph), "directed 2: 1>2 2>1");
    mco_graph_destroy(test_ctx, &graph);
    assert_refused("", METIS, "f:1:1: the file is empty, a line of vertices and edges was expected");
    assert_refused("3 2\n2\n1 3\n", METIS, "f:4:1: the text ends before the line of vertex 3, 3 vertices are stated");
    assert_refused("2 1\n2\n1\n1\n", METIS, "f:4:1: a line behind the last vertex, 2 vertices are stated");
    assert_refused("3 5\n2\n1 3\n2\n", METIS,
                   "f:1:3: 5 edges are stated, the lines name 4 neighbours, two for each edge were expected");
    assert_refused("3 1\n2\n3\n\n", METIS,
                   "f:2:1: the lines of vertices 1 and 2 (line 3) differ in their edges, each edge stands in the lines of both ends");
    assert_refused("2 1 1\n2 5\n1 6\n", METIS,
                   "f:2:1: the lines of vertices 1 and 2 (line 3) differ in their edges, each edge stands in the lines of both ends");
    assert_refused("3 2\n4\n1 3\n2\n", METIS, "f:2:1: the neighbour is 4, allowed is 1 to 3");
    assert_refused("2 1 1\n2\n1\n", METIS, "f:2:2: the weight behind the last neighbour is missing");
    assert_refused("2 1 1\n2 0.5\n1 0.5\n", METIS, "f:2:3: the weight is \"0.5\", an integer was expected");
    assert_refused("2 1 5\n2\n1\n", METIS, "f:1:5: the format is \"5\", supported are 0, 1, 10, 11, 100, 101, 110, 111, 00, 01, 000, "
                                          "001, 010 and 011");
    assert_refused("2 1 1 3\n2\n1\n", METIS, "f:1:7: weights of vertices are stated, and the format has none");
    assert_refused("2 1 10\n\n1\n", METIS, "f:2:1: the line of vertex 1 ends before its weights");
    assert_refused("2 1 10 1 1\n", METIS, "f:1:10: the first line has more than four numbers");
}

// ---- GraphML

#define XML(inside) "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml>" inside "</graphml>\n"
#define GRAPH(inside) XML("<graph edgedefault=\"undirected\">" inside "</graph>")
#define KEY_NAME "<key id=\"k\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>"

static void test_graphml(void **state)
{
    (void)state;
    assert_graph(GRAPH("<node id=\"a\"/><node id='b'></node>\r\n<edge source=\"a\" target=\"b\"/>"), GRAPHML, "undirected 2: a-b");
    assert_graph(GRAPH("<node id=\"0\"/><node id=\"1\"/><edge source=\"0\" target=\"1\"/>"), GRAPHML, "undirected 2: 0-1");
    assert_graph(XML("<!-- c > --><graph edgedefault=\"directed\"><edge source=\"b\" target=\"a\"/><node id=\"a\"/><node id=\"b\"/>"
                     "</graph>"), GRAPHML, "directed 2: b>a");
    assert_graph(GRAPH("<node id=\"&lt;&amp;&#65;&#x20AC;\"/>"), GRAPHML, "undirected 1:");
    assert_graph(XML(KEY_NAME "<graph><node id=\"a\"><data key=\"k\"> A &amp; <![CDATA[<B>]]></data></node><node id=\"b\"><data "
                     "key=\"k\">C\nD</data><data key=\"other\"><y:x><z/></y:x></data></node><edge source=\"a\" target=\"b\"/>"
                     "</graph>"), GRAPHML, "undirected 2: A &<B>-C D");
    assert_graph(XML(KEY_NAME "<graph><node id=\"a\"><data key=\"k\">A</data></node><node id=\"b\"><data key=\"k\">A</data></node>"
                     "<edge source=\"a\" target=\"b\"/></graph>"), GRAPHML, "undirected 2: a-b");  // one name twice: the ids
    assert_graph(XML("<key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"><default>2</default></key><graph><node "
                     "id=\"a\"/><edge source=\"a\" target=\"a\"/><edge source=\"a\" target=\"a\"><data key=\"w\">0.5</data></edge>"
                     "</graph>"), GRAPHML, "undirected 1: a-a(2) a-a(0.5)");
    assert_graph("<!DOCTYPE graphml SYSTEM \"g.dtd\"><g:graphml><g:graph><g:node id=\"a\"/></g:graph></g:graphml>", GRAPHML,
                 "undirected 1:");
    assert_graph(GRAPH("<node id=\"a\"/><edge source=\"a\" target=\"a\" directed=\"true\"/>"), GRAPHML, "directed 1: a>a");
    mco_graph *graph = NULL;
    assert_ok(graph_of_text(XML("<key id=\"p\" for=\"node\" attr.name=\"x\"/><key id=\"q\" for=\"node\" attr.name=\"y\"/><graph><node "
                                "id=\"a\"><data key=\"p\">1.5</data><data key=\"q\">-2</data></node></graph>"),
                            GRAPHML, MCO_GRAPH_DIRECTION_AUTO, "file", &graph));
    assert_true(mco_graph_view(graph).x[0] == 1.5 && mco_graph_view(graph).y[0] == -2);
    mco_graph_destroy(test_ctx, &graph);
}

static void test_graphml_refusals(void **state)
{
    (void)state;
    assert_refused("", GRAPHML, "f:1:1: the text ends before the element graphml");
    assert_refused("<svg/>", GRAPHML, "f:1:2: the first element is \"svg\", \"graphml\" was expected");
    assert_refused("<graphml><graph>", GRAPHML, "f:1:17: the text ends inside <graph> of line 1");
    assert_refused("<graphml/>", GRAPHML, "f:1:11: the file has no graph");
    assert_refused("<graphml><graph/><graph/></graphml>", GRAPHML, "f:1:19: a second graph, a file has one");
    assert_refused("<graphml><graph></node>", GRAPHML, "f:1:19: the tag </node> does not close <graph> of line 1");
    assert_refused("<graphml>x</graphml>", GRAPHML, "f:1:10: text between elements");
    assert_refused("<graphml><graph/></graphml><a/>", GRAPHML, "f:1:32: something follows the last element");
    assert_refused("<graphml", GRAPHML, "f:1:9: the tag <graphml is not closed by >");
    assert_refused("<graphml a>", GRAPHML, "f:1:10: the attribute \"a\" has no value in quotes");
    assert_refused("<graphml a=\"b>", GRAPHML, "f:1:12: the value is not closed by \"");
    assert_refused("<!-- graphml", GRAPHML, "f:1:1: the comment is not closed by -->");
    assert_refused("<!DOCTYPE g [<!ENTITY a \"b\">]><graphml/>", GRAPHML,
                   "f:1:1: declarations inside the document type are not supported");
    assert_refused("<?xml version=\"1.0\" encoding=\"UTF-16\"?><graphml/>", GRAPHML,
                   "f:1:31: the encoding is \"UTF-16\", UTF-8 was expected");
    assert_refused("<graphml><graph>\n<node/></graph></graphml>", GRAPHML, "f:2:2: the node has no id");
    assert_refused("<graphml><graph>\n<node id=\"a\"/><node id=\"a\"/></graph></graphml>", GRAPHML,
                   "f:2:16: the node \"a\" stands twice");
    assert_refused("<graphml><graph>\n<edge source=\"a\" target=\"b\"/></graph></graphml>", GRAPHML,
                   "f:2:1: the edge names the node \"a\", which the file does not have");
    assert_refused("<graphml><graph><edge source=\"a\"/></graph></graphml>", GRAPHML, "f:1:18: the edge has no target");
    assert_refused("<graphml><graph><hyperedge/></graph></graphml>", GRAPHML,
                   "f:1:18: the element \"hyperedge\" in a graph is not supported");
    assert_refused("<graphml><graph><node id=\"a\"><graph/></node></graph></graphml>", GRAPHML,
                   "f:1:31: the element \"graph\" in a node is not supported");
    assert_refused("<graphml><graph edgedefault=\"both\"/></graphml>", GRAPHML,
                   "f:1:30: edgedefault \"both\", supported are undirected and directed");
    assert_refused(GRAPH("<node id=\"a\"/><edge source=\"a\" target=\"a\"/>\n<edge source=\"a\" target=\"a\" directed=\"true\"/>"),
                   GRAPHML, "f:3:2: the edge is directed, edges before it are not; say which all are");
    assert_refused("<graphml><graph><node id=\"&nbsp;\"/></graph></graphml>", GRAPHML,
                   "f:1:28: the entity \"&nbsp;\" is not supported");
    assert_refused("<graphml><graph><node id=\"a&b\"/></graph></graphml>", GRAPHML,
                   "f:1:28: the & begins no entity, a plain one is written &amp;");
    assert_refused("<graphml><graph><node id=\"&#0;\"/></graph></graphml>", GRAPHML, "f:1:28: the entity \"&#0;\" is not supported");
}

// ---- TNTP

#define META(nodes, links) "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> " nodes "\n<NUMBER OF LINKS> " links "\t\n<END OF METADATA>\n\n~ a\tb\t;\n"

static void test_tntp(void **state)
{
    (void)state;
    assert_graph(META("3", "2") "\t1\t2\t900\t6.5\t6\t0.15\t4\t0\t0\t1\t;\n\t3\t1\t1\t2\t0\t0\t0\t0\t0\t1;", TNTP,
                 "directed 3: 1>2(6.5) 3>1(2)");
    assert_graph("~ c\r\n<NUMBER OF NODES> 2\r\n<NUMBER OF LINKS> 1\r\n<END OF METADATA>\r\n1 2 3.0 4\r\n", TNTP, "directed 2: 1>2(4)");
    assert_refused("", TNTP, "f:1:1: the text ends before <END OF METADATA>");
    assert_refused("<NUMBER OF NODES> 2\n<END OF METADATA>\n", TNTP,
                   "f:3:1: <NUMBER OF LINKS> is missing: is this the file of the links, *_net.tntp?");
    assert_refused("<TOTAL OD FLOW> 3\n", TNTP, "f:1:1: this is a file of trips; the links are in the file *_net.tntp");
    assert_refused("1 2 3\n", TNTP, "f:1:1: \"1 2 3\" stands before <END OF METADATA>");
    assert_refused("<NUMBER OF NODES 2\n", TNTP, "f:1:1: the > behind the name of a value is missing");
    assert_refused(META("3", "2") "1 2 3 4;\n", TNTP, "f:3:19: 2 links are stated, 1 are there");
    assert_refused(META("3", "1") "1 4 3 4;\n", TNTP, "f:7:3: the head is 4, allowed is 1 to 3");
    assert_refused(META("3", "1") "1 2 3;\n", TNTP, "f:7:6: the length is \"\", a number was expected");
    assert_refused(META("3", "1") "1 2 3 -4;\n", TNTP, "f:7:7: the length is -4, allowed is 0 to 1e+300");
    assert_refused(META("x", "1"), TNTP, "f:2:19: the number of nodes is \"x\", an integer was expected");
}

// ---- Matrices

static void test_matrix(void **state)
{
    (void)state;
    assert_graph("0 1 0\n1 0 1\n0 1 0\n", MATRIX, "undirected 3: 1-2 2-3");
    assert_graph("0 1 0\n0 0 1\n0 1 1", MATRIX, "directed 3: 1>2 2>3 3>2 3>3");
    assert_graph("0,2.5\r\n2.5,0\r\n", MATRIX, "undirected 2: 1-2(2.5)");
    assert_graph("0;2,5\n3;0\n", MATRIX, "directed 2: 1>2(2.5) 2>1(3)");
    assert_graph(",a,\"b, c\"\na,0,1\n\"b, c\",1,1\n", MATRIX, "undirected 2: a-b, c b, c-b, c");
    assert_graph("names,a,b\na,0,1\nb,0,0\n", MATRIX, "directed 2: a>b");
    assert_graph("0\n", MATRIX, "undirected 1:");
    assert_graph("# c\n\n\t0\t-1\n\t-1\t0\n\n", MATRIX, "undirected 2: 1-2(-1)");
    assert_refused("", MATRIX, "f:1:1: the matrix has no line");
    assert_refused("0 1\n", MATRIX, "f:2:1: the matrix has 1 line, 2 were expected");
    assert_refused("0 1\n1\n", MATRIX, "f:2:1: line 2 of the matrix has 1 entry, 2 were expected");
    assert_refused("0 1\n1 0 1\n", MATRIX, "f:2:5: line 2 of the matrix has more than 2 entries");
    assert_refused("0 1\n1 0\n1 0\n", MATRIX, "f:3:1: the matrix has more than 2 lines");
    assert_refused("0 1\n1 x\n", MATRIX, "f:2:3: the entry is \"x\", a number was expected");
    assert_refused(",a,a\n", MATRIX, "f:1:4: the name \"a\" stands twice");
    assert_refused(",a,\n", MATRIX, "f:1:4: the name of vertex 2 is empty");
    assert_refused(",a,b\na,0,1\nc,1,0\n", MATRIX,
                   "f:3:1: line 2 of the matrix is \"c\", \"b\" was expected as in its first line");
}

// ---- The format and the direction

static mco_graph_format format_of(const char *content, const char *name)
{
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "f", content, strlen(content), &text));
    const mco_graph_format format = graph_find_format(&text, name);
    mco_text_close(&text);
    return format;
}

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        const char *content, *name;
        mco_graph_format format;
    } cases[] = {
        {"", "a.gr", DIMACS}, {"", "a.COL.gz", DIMACS}, {"", "a.graph", METIS}, {"", "a.graphml", GRAPHML}, {"", "a.tntp", TNTP},
        {"", "a.mat", MATRIX}, {"", "a.csv", CSV}, {"", "a", EDGES}, {"1 2\n", "a.txt", EDGES}, {"0 1 1 0\n", "a.edges", EDGES},
        {"# c\n1 2\n", "a", EDGES}, {"# Nodes: 3 Edges: 2\n0 1\n", "a", SNAP}, {"c x\np sp 1 0\n", "a", DIMACS},
        {"c x\nc y\n", "a", EDGES}, {"p edge 2 1\n", "a", DIMACS}, {"\n<graphml/>", "a", GRAPHML}, {"<?xml?>", "a", GRAPHML},
        {"<NUMBER OF ZONES> 2\n", "a", TNTP}, {"~ x\n", "a", TNTP}, {"source,target\n", "a", CSV}, {"from\tto\n", "a", CSV},
        {"weight;to;from\n", "a.csv", CSV}, {"0 1 1 0\n", "a", MATRIX}, {",a,b\na,0,1\n", "a.csv", MATRIX}, {"1,2\n", "a.csv", EDGES},
        {"a,b,c,d\n1,2,3,4\n", "a.csv", CSV}, {"n,b,c,d\nb,0,1,1\n", "a.csv", MATRIX}, {"a b\n", "-", EDGES},
    };
    for (int k = 0; k < COUNT_OF(cases); k++)
        if (format_of(cases[k].content, cases[k].name) != cases[k].format)
            fail_msg("case %d: %d", k, format_of(cases[k].content, cases[k].name));
}

static void test_directions(void **state)
{
    (void)state;
    mco_graph *graph = NULL;
    assert_ok(graph_of_text("1 2\n", AUTO, MCO_GRAPH_DIRECTION_DIRECTED, "a", &graph));
    assert_string_equal(graph_line(graph), "directed 2: 1>2");
    mco_graph_destroy(test_ctx, &graph);
    assert_ok(graph_of_text("p sp 2 2\na 1 2 1\na 2 1 3\n", AUTO, MCO_GRAPH_DIRECTION_UNDIRECTED, "a", &graph));
    assert_string_equal(graph_line(graph), "undirected 2: 1-2(1) 1-2(3)");
    mco_graph_destroy(test_ctx, &graph);
    assert_ok(graph_of_text("0 1\n1 0\n", MATRIX, MCO_GRAPH_DIRECTION_DIRECTED, "a", &graph));
    assert_string_equal(graph_line(graph), "directed 2: 1>2 2>1");
    mco_graph_destroy(test_ctx, &graph);
}

// ---- Files, memory

static void test_files(void **state)
{
    (void)state;
    mco_graph *graph = NULL;
    mco_graph_file file = MCO_GRAPH_FILE_INIT;
    assert_ok(mco_graph_read(test_ctx, test_file("g.txt", "1 2\n"), NULL, &graph));
    assert_string_equal(mco_graph_name(graph), "g.txt");
    mco_graph_destroy(test_ctx, &graph);
    assert_int_equal(mco_graph_read(test_ctx, test_path("none"), NULL, &graph), MCO_ERR_IO);
    assert_int_equal(mco_graph_read(test_ctx, test_file_bytes("b", "1 2\n\0", 5), NULL, &graph), MCO_ERR_PARSE);
    file.format = (mco_graph_format)9;
    assert_fails(mco_graph_read(test_ctx, "x", &file, &graph), MCO_ERR_ARGUMENT,
                 "format 9 and direction 0, allowed are 0 to 8 and 0 to 2");
    assert_fails(mco_graph_read(test_ctx, NULL, NULL, &graph), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(graph_of_text("name,x,y,demand\n", AUTO, MCO_GRAPH_DIRECTION_AUTO, "a", &graph), MCO_ERR_PARSE,
                 "f:1:1: this is a file for mco vrp, not for mco cycles: try mco vrp solve f");
#ifdef MCO_HAVE_ZLIB
    const char *path = test_path("g.gr.gz");
    gzFile packed = gzopen(path, "wb");
    assert_non_null(packed);
    gzputs(packed, "p sp 2 1\na 1 2 3\n");
    gzclose(packed);
    assert_ok(mco_graph_read(test_ctx, path, NULL, &graph));
    assert_string_equal(graph_line(graph), "directed 2: 1>2(3)");
    mco_graph_destroy(test_ctx, &graph);
#endif
}

// Files of all formats, so that each reader allocates all that it can.
static const struct {
    const char *content;
    mco_graph_format format;
} samples[] = {
    {"1 2 3\n2 3 4\n", EDGES}, {"a b\nb c\n", EDGES}, {"1999999999 5\n# vertex: 7\n", EDGES}, {"source,target\na,b\nc,\n", CSV},
    {"p sp 2 1\na 1 2 3\n", DIMACS}, {"2 1 1\n2 5\n1 5\n", METIS}, {META("2", "1") "1 2 3 4;\n", TNTP}, {"0 2\n2 0\n", MATRIX},
    {",a,b\na,0,1\nb,1,0\n", MATRIX},
    {XML(KEY_NAME "<graph><node id=\"a\"><data key=\"k\">A&amp;</data></node><edge source=\"a\" target=\"a\"/></graph>"), GRAPHML},
};

static void test_memory_failures(void **state)
{
    (void)state;
    for (int s = 0; s < COUNT_OF(samples); s++) {
        mco_graph *graph = NULL;
        mco_status st = MCO_ERR_MEMORY;
        long k = 0;
        while (st == MCO_ERR_MEMORY) {
            test_fail_allocation(++k);
            st = graph_of_text(samples[s].content, samples[s].format, MCO_GRAPH_DIRECTION_AUTO, "file", &graph);
        }
        test_fail_allocation(0);
        assert_ok(st);
        assert_true(k > 5);
        mco_graph_destroy(test_ctx, &graph);
    }
}

// Every beginning of every sample is read or refused with a place.
static void test_cut(void **state)
{
    (void)state;
    char cut[GRAPH_LINE];
    for (int s = 0; s < COUNT_OF(samples); s++)
        for (size_t size = 0; size < strlen(samples[s].content); size++) {
            mco_graph *graph = NULL;
            snprintf(cut, sizeof cut, "%.*s", (int)size, samples[s].content);
            const mco_status st = graph_of_text(cut, samples[s].format, MCO_GRAPH_DIRECTION_AUTO, "file", &graph);
            assert_true(st == MCO_OK || (st == MCO_ERR_PARSE && strncmp(mco_context_error(test_ctx), "f:", 2) == 0));
            mco_graph_destroy(test_ctx, &graph);
        }
}

// ---- Public networks

static void read_public(const char *folder, const char *path, int32_t vertices, int64_t arcs)
{
    char full[1024];
    mco_graph *graph = NULL;
    snprintf(full, sizeof full, "%s/%s", folder, path);
    if (access(full, R_OK) != 0) {
        print_message("no %s\n", full);
        return;
    }
    assert_ok(mco_graph_read(test_ctx, full, NULL, &graph));
    const mco_graph_rows rows = mco_graph_view(graph);
    assert_true(rows.is_directed && rows.weight != NULL);
    assert_int_equal(rows.vertices, vertices);
    assert_int_equal(rows.arcs, arcs);
    mco_graph_destroy(test_ctx, &graph);
}

static void test_public(void **state)
{
    (void)state;
    const char *folder = getenv("MCO_DATA");
    if (folder == NULL)
        skip();
    read_public(folder, "roads/dimacs/rome99.gr", 3353, 4444);
    read_public(folder, "tntp/SiouxFalls/SiouxFalls_net.tntp", 24, 76);
    read_public(folder, "tntp/Anaheim/Anaheim_net.tntp", 416, 914);
    read_public(folder, "tntp/Braess/Braess_net.tntp", 4, 5);
    read_public(folder, "tntp/ChicagoSketch/ChicagoSketch_net.tntp", 933, 2950);
    read_public(folder, "tntp/EasternMassachusetts/EMA_net.tntp", 74, 258);
#ifdef MCO_HAVE_ZLIB
    read_public(folder, "tntp/AustinTAPB/AustinTAPB_net.tntp.gz", 13603, 35940);
    read_public(folder, "tntp/ChicagoRegional/ChicagoRegional_net.tntp.gz", 12982, 39018);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_edges),   TEST(test_comments), TEST(test_sparse),           TEST(test_edges_refusals), TEST(test_csv),
        TEST(test_dimacs),  TEST(test_metis),    TEST(test_graphml),          TEST(test_graphml_refusals), TEST(test_tntp),
        TEST(test_matrix),  TEST(test_formats),  TEST(test_directions),       TEST(test_files),          TEST(test_memory_failures),
        TEST(test_cut),     TEST(test_public),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
